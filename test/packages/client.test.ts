import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { singleProof } from '@attestry/trust/statements/testing/privateProofs.ts'
import { documentedLink } from '@attestry/trust/statements/testing/publishedSamples.ts'
import { signWithSdk } from '@attestry/trust/statements/testing/sdkVectors.ts'
import { findFormProblems, installPacked, root, run, type PackedFolder } from './packedFolder.ts'
import { nightTest } from '../harness/nightly.ts'

const tsc = join(root, 'node_modules', '.bin', 'tsc')
let installed: PackedFolder
let folder: string

beforeAll(() => {
  // As in a fresh checkout, by the commands of its README.
  rmSync(join(root, 'client', 'dist'), { recursive: true, force: true })
  run('npm', ['run', 'build', '-w', 'client', '--silent'], root)
  installed = installPacked('./client')
  folder = installed.folder
})

afterAll(() => installed.remove())

test('the package has no dependency', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@attestry',
  ])
  const files = readdirSync(join(folder, 'node_modules', '@attestry', 'client'))
  expect(files.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
})

nightTest('nothing is wrong with the form of the package', async () => {
  const pkgDir = join(folder, 'node_modules', '@attestry', 'client')
  expect(await findFormProblems(pkgDir)).toEqual([])
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

test('it verifies an off-chain attestation without a request, as SDKs hold one and from a link', async () => {
  const script =
    "import { readPrivateProof, verifyOffchain } from '@attestry/client/offchain'\n" +
    'globalThis.fetch = () => { throw new Error("no request is made") }\n' +
    `const link = ${JSON.stringify(documentedLink)}\n` +
    'const linked = await verifyOffchain(link, { now: 1_700_000_000 })\n' +
    `const { sig, signer } = JSON.parse(${JSON.stringify(await signWithSdk())})\n` +
    'sig.message.time = BigInt(sig.message.time)\n' +
    'const held = await verifyOffchain({ sig, signer }, { now: 1_900_000_000 })\n' +
    `const proof = readPrivateProof(${JSON.stringify(singleProof.proof)})\n` +
    'console.log(linked.valid, held.valid, held.expired, proof.root, (await verifyOffchain("?")).checks[0].ok)\n'
  writeFileSync(join(folder, 'verify.js'), script)
  expect(run(process.execPath, ['verify.js'], folder)).toBe(`true false true ${singleProof.root} false\n`)
})

test.each(['nodenext', 'bundler'])('its types hold for a program under %s resolution', (resolution) => {
  const program =
    "import { createClient, readDecoded } from '@attestry/client'\n" +
    "import { verifyOffchain } from '@attestry/client/offchain'\n" +
    "import { requirePolicy } from '@attestry/client/express'\n" +
    "import { requirePolicy as onHono } from '@attestry/client/hono'\n" +
    "export const signer: string | null = (await verifyOffchain('x', { now: 1 })).signer\n" +
    "const client = createClient({ baseUrl: 'http://127.0.0.1:4000' })\n" +
    "const attestation = await client.get('/scan/attestations/{id}', { id: 'x', include: 'decoded' })\n" +
    "export const level: bigint = readDecoded(attestation, 'uint8 level').level\n" +
    "export const verdict: 'allow' | 'deny' | 'unknown' = (await client.gate('member', '0x')).verdict\n" +
    "const rule = { client, policy: 'member', subject: ({ user }: { user?: string }) => user }\n" +
    'export const handlers = [requirePolicy(rule), onHono(rule)]\n' +
    "for await (const row of client.list('/scan/schemas', { chainId: '1' })) {\n" +
    '  console.log(row.attesterCount.toFixed())\n' +
    '  // @ts-expect-error: no such member\n' +
    '  console.log(row.attestorCount)\n}\n'
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'preserve']
  const flags =
    resolution === 'nodenext'
      ? ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext']
      : [...options, '--moduleResolution', 'bundler']
  writeFileSync(join(folder, 'use.ts'), program)
  expect(run(tsc, [...flags, 'use.ts'], folder)).toBe('')
})
