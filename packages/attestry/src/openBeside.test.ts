import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const module = (name: string) => JSON.stringify(import.meta.resolve(name))

/** Whether a process that serves, and opens tables beside a database, has loaded the library of PostgreSQL. */
function loadsPostgres(database: Readonly<Record<string, string>>): string {
  const script = `
    import { createRequire } from 'node:module'
    await import(${module('./openApi.ts')})
    await import(${module('@attestry/trust/commands/runOffchainCommand.ts')})
    const { openBeside } = await import(${module('@attestry/host/openBeside.ts')})
    const layout = { name: 'x', number: 1, steps: [() => ''] }
    await openBeside(${JSON.stringify(database)}, layout)
    const loaded = Object.keys(createRequire(import.meta.url).cache)
    console.log(loaded.some((path) => /[\\\\/]node_modules[\\\\/]pg[\\\\/]/.test(path)))
    process.exit()`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  return stdout.trim() + stderr
}

test('a process that serves SQLite does not load the library of PostgreSQL', () => {
  expect(loadsPostgres({ kind: 'sqlite', path: 'unused.db' })).toBe('false')
  expect(loadsPostgres({ kind: 'postgres', url: 'postgres://127.0.0.1:1/unused' })).toBe('true')
})
