import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { runInit } from './runInit.ts'

const secret = '0123456789abcdef0123456789abcdef'
let folder: string
let output: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-init-'))
  output = join(folder, 'attestry.yaml')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('with all flags, writes a valid file without asking, with keys in the environment', async () => {
  const rpc = [`optimism=https://opt.example/v2/${secret}`, 'optimism=wss://b.example', '1=https://c.example']
  const lines = await runInit({ output, chains: 'optimism,ethereum', protocols: 'eas', rpc }, null)
  expect(`${lines.join('\n')}${readFileSync(output, 'utf8')}`).not.toContain(secret)
  expect(lines.join('\n')).toContain("export OP_MAINNET_RPC='…'")
  const environment = { OP_MAINNET_RPC: `https://opt.example/v2/${secret}` }
  const { chains } = loadConfig(output, { environment, known: knownProtocols, endpointsNeeded: true })
  expect(chains).toMatchObject([
    { chainId: 10, rpc: [environment.OP_MAINNET_RPC, 'wss://b.example'], deployments: [{ protocol: 'eas' }] },
    { chainId: 1, rpc: ['https://c.example'], deployments: [{ protocol: 'eas' }] },
  ])
})

test('asks for everything that the flags omit, and no protocol means all', async () => {
  const answers = ['base', '', 'https://rpc.example']
  const asked: string[] = []
  await runInit({ output }, (question) => {
    asked.push(question)
    return Promise.resolve(answers[asked.length - 1] ?? '')
  })
  expect(asked).toHaveLength(3)
  const { chains } = loadConfig(output, { environment: {}, known: knownProtocols, endpointsNeeded: true })
  expect(chains[0]?.deployments.map(({ protocol }) => protocol)).toEqual(['eas', 'erc8004', 'sign', 'verax'])
})

test('overwrites an existing file only with --force', async () => {
  writeFileSync(output, 'mine')
  const flags = { output, chains: 'base', rpc: ['https://rpc.example'] }
  await expect(runInit(flags, null)).rejects.toThrow(/exists; --force overwrites the file/)
  expect(readFileSync(output, 'utf8')).toBe('mine')
  await runInit({ ...flags, force: true }, null)
  expect(readFileSync(output, 'utf8')).toContain('chainId: 8453')
})

test.each([
  [{}, /Without a terminal to ask on, attestry init needs the option --chains/],
  [{ chains: 'base' }, /needs the option --rpc base=URL/],
  [{ chains: 'optimsm' }, /"optimsm" is not a known network; did you mean optimism\?/],
  [{ chains: ',' }, /Name at least one chain/],
  [{ chains: 'base', protocols: 'esa' }, /"esa" is not a known protocol; did you mean eas\?/],
  [{ chains: 'telos', protocols: 'verax' }, /Telos has no known deployment of verax; it has eas/],
  [{ chains: 'base', rpc: ['ftp://a.example'] }, /An endpoint must be a URL that starts with http/],
  [{ chains: 'base', rpc: ['telos=http://a.example'] }, /names "telos", which is none of the chains base/],
  [{ chains: 'base,telos', rpc: ['http://a.example'] }, /With several chains, --rpc must be CHAIN=URL/],
])('a mistake in %o is named, and nothing is written', async (flags, sentence) => {
  await expect(runInit({ output, ...flags }, null)).rejects.toThrow(sentence)
  expect(() => readFileSync(output)).toThrow('ENOENT')
})

test('no sentence shows the key of an endpoint', async () => {
  const rpc = [`rpc.example/${secret}`]
  await expect(runInit({ output, chains: 'base', rpc }, null)).rejects.toThrow(
    /is a text of 44 characters that is not shown/,
  )
})
