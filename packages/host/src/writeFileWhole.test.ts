import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { writeFileWhole } from './writeFileWhole.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-write-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (partial: string) => Promise.resolve(writeFileSync(partial, 'new'))

test('writes the file that a link names', async () => {
  mkdirSync(join(folder, 'disk'))
  writeFileSync(join(folder, 'disk', 'target'), 'old')
  symlinkSync(join('disk', 'target'), join(folder, 'link'))
  await writeFileWhole(join(folder, 'link'), write)
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(folder, 'disk', 'target'), 'utf8')).toBe('new')
  expect(readdirSync(folder, { recursive: true })).toHaveLength(3)
})

test.runIf(process.getuid?.() === 0)('follows no link of another user', async () => {
  writeFileSync(join(folder, 'target'), 'old')
  symlinkSync('target', join(folder, 'link'))
  symlinkSync('link', join(folder, 'own'))
  symlinkSync('.', join(folder, 'folder'))
  for (const name of ['link', 'folder']) lchownSync(join(folder, name), 1_000, 1_000)
  for (const name of ['link', 'own', 'folder/target']) {
    await expect(writeFileWhole(join(folder, name), write)).rejects.toThrow('is a link of another user')
  }
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('old')
})

test('does not write through a link under the name of the unfinished file', async () => {
  writeFileSync(join(folder, 'victim'), 'old')
  symlinkSync('victim', join(folder, `out.${process.pid}.part`))
  await writeFileWhole(join(folder, 'out'), write)
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('old')
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('new')
})

test('removes only the remains of the same file that a killed process left', async () => {
  const killed = spawn(process.execPath, ['-e', ''])
  await once(killed, 'close')
  const kept = ['other.1.part', `file.${process.ppid}.part`, 'file.old.part', 'file.part']
  for (const name of [`file.${killed.pid}.part`, ...kept]) writeFileSync(join(folder, name), 'some')
  await writeFileWhole(join(folder, 'file'), write)
  expect(readdirSync(folder).toSorted()).toEqual(['file', ...kept].toSorted())
})

test.runIf(process.platform !== 'win32')('leaves a pipe or a device what it is', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(writeFileWhole(pipe, write)).rejects.toThrow(
    new StartError(`The file ${pipe} cannot be written: it is a pipe or a device; give the path of a file`),
  )
  expect(lstatSync(pipe).isFIFO()).toBe(true)
})

test.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing where %s ends the process', async (signal) => {
  const script = `
    const { writeFileWhole } = await import(${JSON.stringify(new URL('writeFileWhole.ts', import.meta.url).href)})
    const { writeFileSync } = await import('node:fs')
    await writeFileWhole(${JSON.stringify(join(folder, 'file'))}, async (partial) => {
      writeFileSync(partial, 'some')
      console.log('writing')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  expect(readdirSync(folder)).toHaveLength(1)
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([null, signal])
  expect(readdirSync(folder)).toEqual([])
})
