import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExplorerState } from './explorerSource.ts'
import { prepareExplorer } from './prepareExplorer.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

let sources: string
interface Entry {
  readonly level: number
  readonly msg: string
}
let logged: Entry[] = []
const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line) as Entry) })

beforeEach(() => {
  sources = mkdtempSync(join(tmpdir(), 'attestry-explorer-'))
  logged = []
  write(
    'index.html',
    '<html><head><title>T</title><script type="module" src="/main.ts"></script></head></html>',
  )
  write('main.ts', 'document.title = "one"\n')
})
afterEach(() => rmSync(sources, { recursive: true, force: true }))

function write(name: string, text: string): void {
  writeFileSync(join(sources, name), text)
}

function builds(): string[] {
  return readdirSync(join(sources, 'dist'))
}

/** Prepares the explorer and waits for it. */
async function prepare(): Promise<ExplorerState> {
  const explorer = prepareExplorer(log, sources)
  expect(explorer.state()).toEqual({ kind: 'building' })
  await explorer.settled
  return explorer.state()
}

/** The script of a build, as it is sent compressed. */
async function scriptOf(state: ExplorerState): Promise<string> {
  if (state.kind !== 'ready') throw new Error(`it is ${state.kind}: ${JSON.stringify(logged)}`)
  const path = [...state.build.files.keys()].find((name) => name.endsWith('.js')) ?? ''
  const form = await state.build.files.get(path)?.forms.get('br')
  return brotliDecompressSync(form ?? Buffer.alloc(0)).toString()
}

test('sources are built once, and again when they have changed', async () => {
  expect(await scriptOf(await prepare())).toMatch(/one/)
  const [first] = builds()
  expect(logged.map(({ msg }) => msg)).toEqual(['building the explorer', 'the explorer is built'])

  logged = []
  expect(await scriptOf(await prepare())).toMatch(/one/)
  expect([builds(), logged]).toEqual([[first], []])

  write('main.ts', 'document.title = "two"\n')
  expect(await scriptOf(await prepare())).toMatch(/two/)
  expect(builds()).toHaveLength(1)
  expect(builds()).not.toContain(first)
})

nightTest('libraries are built for use, whatever the environment of the service says', async () => {
  expect(process.env['NODE_ENV']).toBe('test')
  write('main.ts', 'document.title = process.env.NODE_ENV\n')
  expect(await scriptOf(await prepare())).toMatch(/production/)
})

nightTest('several builds at once give one result, and leave no partial files', async () => {
  const states = await Promise.all([prepare(), prepare(), prepare()])
  for (const state of states) expect(await scriptOf(state)).toMatch(/one/)
  expect(builds()).toHaveLength(1)
})

test('where the sources do not build, there is no explorer, and one line says why', async () => {
  write('main.ts', 'import "./absent.ts"\n')
  expect(await prepare()).toEqual({ kind: 'missing' })
  const errors = logged.filter(({ level }) => level >= 50)
  expect(errors).toHaveLength(1)
  expect(errors[0]?.msg).toMatch(/^There is no explorer: .*absent\.ts/)
  expect(errors[0]?.msg).toMatch(/^\P{Cc}*$/u)
  expect(builds()).toEqual([])
})

test('where nothing can be written, one line says so', async () => {
  // A file in the place of the folder: root may write into any folder.
  write('dist', '')
  expect(await prepare()).toEqual({ kind: 'missing' })
  expect(logged.at(-1)?.msg).toMatch(/^There is no explorer: .*dist/)
})

test('an installation without sources serves the build that it has', async () => {
  await prepare()
  rmSync(join(sources, 'index.html'))
  expect(await scriptOf(await prepare())).toMatch(/one/)
})

test('an installation with neither sources nor a build says so', async () => {
  await prepare()
  rmSync(join(sources, 'index.html'))
  for (const name of builds()) rmSync(join(sources, 'dist', name), { recursive: true })
  expect(await prepare()).toEqual({ kind: 'missing' })
  expect(logged.at(-1)?.msg).toBe('There is no explorer: neither sources nor a build are installed')
})

test('a build is broken off when it is not needed any more', async () => {
  const explorer = prepareExplorer(log, sources)
  explorer.close()
  await explorer.settled
  expect(explorer.state()).toEqual({ kind: 'missing' })
  expect(logged.filter(({ level }) => level >= 50)).toEqual([])
})
