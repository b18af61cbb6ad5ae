import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { lockDatabase } from './lockDatabase.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the lock of a database', () => {
  test('is held by one at a time, and free again once released', () => {
    const path = join(folder, 'index.db')
    const lock = lockDatabase(path)
    expect(() => lockDatabase(path)).toThrow(
      new StartError(
        `Another process is indexing into ${path}; stop it first, or give this one another database`,
      ),
    )
    lock[Symbol.dispose]()
    lockDatabase(path)[Symbol.dispose]()
  })

  test('vanishes with a process that is killed', async () => {
    const path = join(folder, 'index.db')
    const script = `
      const { lockDatabase } = await import(${JSON.stringify(new URL('./lockDatabase.ts', import.meta.url).href)})
      globalThis.lock = lockDatabase(${JSON.stringify(path)})
      console.log('locked')
      setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(holder.stdout, 'data')
      expect(() => lockDatabase(path)).toThrow(/Another process is indexing/)
    } finally {
      const exited = once(holder, 'exit')
      holder.kill('SIGKILL')
      await exited
    }
    lockDatabase(path)[Symbol.dispose]()
  })

  test('is that of the file, whichever link or path names it', () => {
    const path = join(folder, 'index.db')
    mkdirSync(join(folder, 'other'))
    symlinkSync(join('..', 'index.db'), join(folder, 'other', 'link.db'))
    symlinkSync('other', join(folder, 'folder'))
    const others = ['other/link.db', 'folder/link.db', 'other/../index.db'].map((name) => join(folder, name))
    // Before the file is there, and afterwards.
    for (const make of [() => undefined, () => writeFileSync(path, '')]) {
      make()
      using _ = lockDatabase(path)
      for (const other of others) expect(() => lockDatabase(other)).toThrow(/Another process is indexing/)
    }
    linkSync(path, join(folder, 'second.db'))
    expect(() => lockDatabase(path)).toThrow(`The database ${path} has 2 names (hard links)`)
  })

  test.runIf(process.platform !== 'win32')('is a file of its owner', () => {
    using _ = lockDatabase(join(folder, 'index.db'))
    expect(statSync(join(folder, 'index.db.lock')).mode & 0o777).toBe(0o600)
  })

  test('cannot be taken if the database is not writable', () => {
    expect(() => lockDatabase('/dev/null/index.db')).toThrow(
      /^The database \/dev\/null\/index.db cannot be written/,
    )
  })
})
