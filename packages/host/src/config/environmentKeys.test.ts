import { mcpWing } from '@attestry/server/interfaces/mcp/mcpWing.ts'
import { gateWing } from '@attestry/trust/gate/gateWing.ts'
import { expect, test } from 'vitest'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { configOf, keysOfParts } from './configPart.ts'
import { wings } from '@attestry/attestry/wings.ts'
import { createConfigSchema } from './configSchema.ts'
import { listVariableNames } from './environmentKeys.ts'
import { configWithoutFile, parseConfig, type Config } from './loadConfig.ts'
import { knownProtocols } from './resolveChains.ts'

const file = `
server:
  workers: 2
chains:
  - name: sepolia
    rpc: [https://one.example]
    protocols: [sign]
`

test('each key has a variable of its own', () => {
  const names = listVariableNames(createConfigSchema(knownProtocols.names, keysOfParts(wings)))
  expect(names).toEqual([...new Set(names)])
  expect(names).toEqual(
    expect.arrayContaining([
      'ATTESTRY_SERVER_RATE_LIMIT_WINDOW_SECONDS',
      'ATTESTRY_CHAINS_N_CONTRACTS_N_ADDRESS',
      'ATTESTRY_INDEX_FIELDS',
      'ATTESTRY_POLICIES',
    ]),
  )
})

test('numbers, booleans, texts, lists and blocks are set over the file', () => {
  const config = parse({
    ATTESTRY_SERVER_WORKERS: '3',
    ATTESTRY_SERVER_MCP: 'true',
    ATTESTRY_SERVER_PRIVATE: 'metrics, export',
    ATTESTRY_SERVER_RATE_LIMIT: '{ max: 5, windowSeconds: 10 }',
    ATTESTRY_SERVER_RATE_LIMIT_MAX: '7',
    ATTESTRY_INDEX_FIELDS: 'onchain_evm_1_0x1a,onchain_evm_1_0x1b',
    ATTESTRY_DATABASE_URL: 'postgres://user:pass@db.example/attestry',
    ATTESTRY_CHAINS_0_RPC_1: 'https://two.example/a,b',
    ATTESTRY_CHAINS_1: '{ chainId: 31337, rpc: [http://own.example] }',
    ATTESTRY_CHAINS_1_CONTRACTS: '[{ protocol: sign, address: 0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5 }]',
    ATTESTRY_SERVER_PORT: '',
    ATTESTRY_DEBUG: '1',
  })
  expect(config.server).toMatchObject({
    workers: 3,
    port: 4000,
    access: { private: { metrics: ['/metrics'], export: ['/scan/export'] } },
    rateLimit: { max: 7 },
  })
  expect(configOf(mcpWing, config.wings)).toBe(true)
  expect(config.fields).toEqual(['onchain_evm_1_0x1a', 'onchain_evm_1_0x1b'])
  expect(config.database).toMatchObject({ kind: 'postgres' })
  expect(config.chains.map(({ rpc }) => rpc)).toEqual([
    ['https://one.example', 'https://two.example/a,b'],
    ['http://own.example'],
  ])
})

test('a gate that is a text in the file takes a key from a variable, and keeps its value', () => {
  const gate = (text: string) => {
    const config = parseConfig(`${text}${file.replace('server:\n', '')}`, 'attestry.yaml', {
      environment: { ATTESTRY_SERVER_GATE_KEY: 'key.pem' },
      known: knownProtocols,
      parts: wings,
      endpointsNeeded: true,
    })
    return configOf(gateWing, config.wings)
  }
  expect(gate('server:\n  gate: named')).toEqual({ policies: {}, which: 'named', key: 'key.pem' })
  expect(gate('server:')).toEqual({ policies: {}, which: 'any', key: 'key.pem' })
})

test('the tenth item of a list comes after the ninth', () => {
  const rpc = Array.from({ length: 12 }, (_, index) => `https://e${index}.example`)
  const variables = rpc.map((url, index) => [`ATTESTRY_CHAINS_0_RPC_${index}`, url] as const)
  expect(parse(Object.fromEntries(variables.toReversed())).chains[0]?.rpc).toEqual(rpc)
})

test('a configuration can consist of only variables, without a file', () => {
  const environment = { ATTESTRY_CHAINS_0_NAME: 'sepolia', ATTESTRY_CHAINS_0_RPC: 'https://s3cr3t.example' }
  const options = { known: knownProtocols, parts: wings, endpointsNeeded: true }
  const config = configWithoutFile({
    ...options,
    environment: { ...environment, ATTESTRY_CHAINS_0_PROTOCOLS: 'sign' },
  })
  expect(config.chains).toMatchObject([{ chainId: 11155111, rpc: ['https://s3cr3t.example'] }])
  expect(() => configWithoutFile({ ...options, environment })).toThrow(
    'The environment: chains[0] names nothing to index',
  )
  expect(() => configWithoutFile({ ...options, environment: {} })).toThrow(
    'The environment: chains is missing',
  )
  expect(configWithoutFile({ ...options, environment: {}, endpointsNeeded: false }).chains).toEqual([])
})

test('ignores the variables that Kubernetes and Docker set for a service named attestry', () => {
  const config = parse({
    ATTESTRY_SERVICE_HOST: '10.0.0.7',
    ATTESTRY_SERVICE_PORT_HTTP: '4000',
    ATTESTRY_PORT: 'tcp://10.0.0.7:4000',
    ATTESTRY_PORT_4000_TCP_ADDR: '10.0.0.7',
    ATTESTRY_SERVER_PORT: 'tcp://10.0.0.8:4000',
  })
  expect(config.server.port).toBe(4000)
})

test.each<[Record<string, string>, string]>([
  [
    { ATTESTRY_SERVER_WORKER: '3' },
    'The environment variable ATTESTRY_SERVER_WORKER sets no key of the configuration; did you mean ATTESTRY_SERVER_WORKERS?',
  ],
  [
    { ATTESTRY_CHAINS_12_RPCS_3: 'https://a' },
    'The environment variable ATTESTRY_CHAINS_12_RPCS_3 sets no key of the configuration; did you mean ATTESTRY_CHAINS_12_RPC_3?',
  ],
  [
    { ATTESTRY_WHATEVER_ELSE_IS_MEANT: 's3cr3t' },
    'The environment variable ATTESTRY_WHATEVER_ELSE_IS_MEANT sets no key of the configuration; docs/configure.md says how the variables are named',
  ],
  [
    { ATTESTRY_SERVER_WORKERS: '300' },
    'The environment variable ATTESTRY_SERVER_WORKERS: server.workers must be a whole number from 1 to 256, such as 2, but is "${ATTESTRY_SERVER_WORKERS}"',
  ],
  [
    { ATTESTRY_SERVER_WORKERS: 's3cr3t' },
    'The environment variable ATTESTRY_SERVER_WORKERS: server.workers must be a whole number from 1 to 256, such as 2, but is "${ATTESTRY_SERVER_WORKERS}" (a text)',
  ],
  [
    { ATTESTRY_SERVER_RATE_LIMIT: '{ max: s3cr3t, windowSeconds: 1 ' },
    'The environment variable ATTESTRY_SERVER_RATE_LIMIT: server.rateLimit must be a block of keys (max, costMs, windowSeconds, valkey), but is "${ATTESTRY_SERVER_RATE_LIMIT}"',
  ],
  [
    { ATTESTRY_CHAINS_0_RPC_0: 'ftp://s3cr3t' },
    'The environment variable ATTESTRY_CHAINS_0_RPC_0: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "${ATTESTRY_CHAINS_0_RPC_0}" (an environment variable, whose value is not shown)',
  ],
  [
    { ATTESTRY_CHAINS: '[{ name: sepolia, rpc: [s3cr3t], protocols: [sign] }]' },
    'The environment variable ATTESTRY_CHAINS: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "${ATTESTRY_CHAINS}" (an environment variable, whose value is not shown)',
  ],
  [
    { ATTESTRY_CHAINS_2_NAME: 'sepolia' },
    'The environment variable ATTESTRY_CHAINS_2_NAME names item 2 of a list that has 1; items count from 0',
  ],
])('the mistake in %j is one sentence', (environment, sentence) => {
  expect(mistakeOf(() => parse(environment))).toBe(sentence)
})

test('mistakes of the file come before those of variables', () => {
  const text = file.replace('workers: 2', 'workers: many')
  const message = mistakeOf(() => parse({ ATTESTRY_SERVER_MCP: 'yes', ATTESTRY_SEVER: 'x' }, text))
  expect(message.split('\n').map((line) => line.split(/[:;]/)[0])).toEqual([
    'attestry.yaml line 3',
    'The environment variable ATTESTRY_SERVER_MCP',
    'The environment variable ATTESTRY_SEVER sets no key of the configuration',
  ])
})

function parse(environment: Record<string, string>, text = file): Config {
  return parseConfig(text, 'attestry.yaml', {
    environment,
    known: knownProtocols,
    parts: wings,
    endpointsNeeded: true,
  })
}

function mistakeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('no mistake was found')
}
