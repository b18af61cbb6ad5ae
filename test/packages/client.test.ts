import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installPacked, root, run, type PackedFolder } from './packedFolder.ts'

const tsc = join(root, 'node_modules', '.bin', 'tsc')
let installed: PackedFolder
let folder: string

beforeAll(() => {
  run('npm', ['run', '--silent', 'build', '-w', 'client'], root)
  installed = installPacked('./client')
  folder = installed.folder
})

afterAll(() => installed.remove())

test('the package brings nothing but itself', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@attestry',
  ])
  const files = readdirSync(join(folder, 'node_modules', '@attestry', 'client'))
  expect(files.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
})

test('an installed client runs as JavaScript', () => {
  const script =
    "import { createClient, AttestryError } from '@attestry/client'\n" +
    "const client = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 })\n" +
    "try { await client.get('/scan/chains') } catch (error) {\n" +
    '  console.log(error instanceof AttestryError, error.message)\n}\n'
  writeFileSync(join(folder, 'use.js'), script)
  expect(run(process.execPath, ['use.js'], folder)).toBe('true http://127.0.0.1:9 cannot be reached.\n')
})

test.each(['nodenext', 'bundler'])('its types hold for a program under %s resolution', (resolution) => {
  const program = (row: string) =>
    "import { createClient, readDecoded } from '@attestry/client'\n" +
    "const client = createClient({ baseUrl: 'http://127.0.0.1:4000' })\n" +
    "const attestation = await client.get('/scan/attestations/{id}', { id: 'x', include: 'decoded' })\n" +
    "export const level: bigint = readDecoded(attestation, 'uint8 level').level\n" +
    `for await (const row of client.list('/scan/schemas', { chainId: '1' })) console.log(row.${row})\n`
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'preserve']
  const flags =
    resolution === 'nodenext'
      ? ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext']
      : [...options, '--moduleResolution', 'bundler']
  writeFileSync(join(folder, 'right.ts'), program('attesterCount.toFixed()'))
  run(tsc, [...flags, 'right.ts'], folder)
  writeFileSync(join(folder, 'wrong.ts'), program('attestorCount'))
  expect(() => run(tsc, [...flags, 'wrong.ts'], folder)).toThrow('Command failed')
})
