/** An entry of `packages` in a lock file of npm (version 3), by the path of its folder. */
interface LockedPackage {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly dev?: boolean
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>

interface PackagedManifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined
}

/**
 * The content of `npm-shrinkwrap.json` for a package: whoever installs the package gets the versions that the lock file
 * of the repository has, those of dependencies of dependencies included.
 * @throws RangeError for a dependency that the lock file does not have.
 */
export function makeShrinkwrap(locked: LockedPackages, manifest: PackagedManifest): unknown {
  const packages: Record<string, LockedPackage> = {}

  function add(path: string, { dependencies = {}, optionalDependencies = {} }: LockedPackage): void {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = locate(locked, path, name)
      if (place === null) {
        if (name in optionalDependencies) continue
        throw new RangeError(`package-lock.json has no ${name}, which ${path || 'the package'} depends on`)
      }
      if (place in packages) continue
      const { dev: _dev, ...entry } = locked[place] ?? {}
      packages[place] = entry
      add(place, entry)
    }
  }

  const { name, version, dependencies, optionalDependencies = {} } = manifest
  add('', { dependencies, optionalDependencies })
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))
  const root = { name, version, dependencies, optionalDependencies }
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(sorted) },
  }
}

/** The path at which Node.js finds a package from the folder at `path`; null if it is missing there and above. */
function locate(locked: LockedPackages, path: string, name: string): string | null {
  const place = `${path === '' ? '' : `${path}/`}node_modules/${name}`
  if (place in locked) return place
  if (path === '') return null
  const above = path.lastIndexOf('node_modules/')
  return locate(locked, path.slice(0, above).replace(/\/$/, ''), name)
}
