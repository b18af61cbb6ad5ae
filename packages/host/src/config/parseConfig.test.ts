import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { availableParallelism, tmpdir } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { hookEvents } from '@attestry/hooks/hookConfig.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { outboxWing } from '@attestry/archive/commands/outbox/outboxWing.ts'
import { hooksWing } from '@attestry/hooks/hooksWing.ts'
import { namesWing } from '@attestry/names/namesWing.ts'
import { configOf } from './configPart.ts'
import { loadConfig, parseConfig, type LoadConfigOptions } from './loadConfig.ts'
import type { KnownProtocols } from './resolveChains.ts'
import { wings } from '@attestry/attestry/wings.ts'
import { workersDefault } from './resolveServer.ts'

const contract = '0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5'
const other = '0x3d8e699db14d7781557fe94ad99d93be180a6594'
const registry = '0x0a7e2ff54e76b8e6659aedc9103fb21c038050d0'

const known: KnownProtocols = {
  names: ['sign', 'eas'],
  deployments: [
    knownDeployment('sign', 11155111, contract, null, 5658228),
    knownDeployment('sign', 80085, contract, null, null),
    knownDeployment('eas', 11155111, other, registry, 2958569),
  ],
  chains: [{ chainId: 11155111, name: 'Sepolia', explorerUrl: 'https://sepolia.etherscan.io', finality: 96 }],
}

const secretEnvironment = {
  SEPOLIA_RPC: 'https://user:hunter2@rpc.example/v2/s3cr3t?key=s3cr3t',
  BAD_RPC: 'ftp://rpc.example/s3cr3t',
  EMPTY: '',
}

test('reports all mistakes of a file, one per line, in file order', () => {
  const text = `
server:
  prot: 4000
  workers: many
chains:
  - chainId: 11155111
    rpc: ["\${MISSING_RPC}", "ftp://rpc.example", "https://a.example", "https://a.example"]
    protocol: [sign]
  - chainId: 11155111
    rpc: []
    protocols: [sgin, eas]
    contracts:
      - protocol: sign
  - chainId: "abc"
    rpc: ["rpc.example/s3cr3t"]
    protocols: [sign]
hooks:
  - name: one
    url: ftp://hook.example
    secret: short
    events: [attested]
  - name: one
    urll: https://hook.example
`
  let message = ''
  try {
    parse(text, { environment: { PORT: 'abc' } })
  } catch (error) {
    message = error instanceof ConfigError ? error.message : String(error)
  }
  const lines = message.split('\n')
  const paths = lines.map((line) => /^\S+ line [0-9]+: (\S+)/.exec(line)?.[1] ?? line)
  expect(paths).toEqual([
    'server.prot',
    'server.workers',
    'chains[0].rpc[0]',
    'chains[0].rpc[1]',
    'chains[0].rpc[3]',
    'chains[0].protocol',
    'chains[1].chainId',
    'chains[1].rpc',
    'chains[1].protocols[0]',
    'chains[1].contracts[0].address',
    'chains[2].chainId',
    'chains[2].rpc[0]',
    'hooks[0].url',
    'hooks[0].secret',
    'hooks[0].events[0]',
    'hooks[1].secret',
    'hooks[1].name',
    'hooks[1].urll',
    'The environment variable PORT must be a whole number from 0 to 65535, such as 4000, but is a value that is not shown',
  ])
  expect(message).not.toContain('s3cr3t')
})

test.each([
  ['with its mark', '\ufeffchains: []'],
  ['without', 'chains: []'],
])('a file in UTF-16, %s, is to be saved as UTF-8', (_, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'attestry.yaml')
  writeFileSync(file, text, 'utf16le')
  expect(mistakeOf(() => loadConfig(file, { environment: {}, known, endpointsNeeded: true }))).toBe(
    `The configuration file ${file} is no UTF-8 text; save it as UTF-8`,
  )
})

describe('a right configuration', () => {
  test('is filled in with known deployments and defaults', () => {
    const config = parse(`
chains:
  - chainId: 11155111
    rpc: ["\${SEPOLIA_RPC}", "https://second.example"]
    protocols: [sign, eas]
`)
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 4000,
      workers: workersDefault(availableParallelism()),
      keys: [],
      access: { private: {}, anonymous: true, origins: 'loopback' },
      metricsHost: '127.0.0.1',
      maxAgeSeconds: 0,
      versionEveryMs: 0,
    })
    expect(config.database).toMatchObject({ path: expect.stringMatching(/\/data\/attestry\.db$/) as unknown })
    expect(config.chains).toEqual([
      {
        chainId: 11155111,
        name: 'Sepolia',
        explorer: {
          address: 'https://sepolia.etherscan.io/address/',
          transaction: 'https://sepolia.etherscan.io/tx/',
          block: 'https://sepolia.etherscan.io/block/',
        },
        rpc: [secretEnvironment.SEPOLIA_RPC, 'https://second.example'],
        deployments: [
          {
            protocol: 'sign',
            chainId: 11155111,
            address: contract,
            schemaRegistry: null,
            startBlock: 5658228,
          },
          {
            protocol: 'eas',
            chainId: 11155111,
            address: other,
            schemaRegistry: registry,
            startBlock: 2958569,
          },
        ],
        requests: { perSecond: 10_000, inFlight: 8 },
        finality: 96,
        from: null,
        pollIntervalMs: 1000,
        transactionSenders: false,
      },
    ])
  })

  test('may leave the first block of a contract to be found', () => {
    const text = `
chains:
  - { chainId: 80085, rpc: [https://a.example], protocols: [sign] }
  - { chainId: 7, rpc: [https://b.example], contracts: [{ protocol: sign, address: "${contract}" }] }
`
    for (const { chainId, deployments } of parse(text).chains) {
      expect(deployments).toEqual([
        { protocol: 'sign', chainId, address: contract, schemaRegistry: null, startBlock: null },
      ])
    }
  })

  test('may limit what all endpoints, and each endpoint of a chain, are asked', () => {
    const limited = parse(`${oneChain({ extra: 'requests: { perSecond: 9 }' })}\nrequests: { inFlight: 5 }`)
    expect(limited.requests).toEqual({ perSecond: 40_000, inFlight: 5 })
    expect(limited.chains[0]?.requests).toEqual({ perSecond: 9, inFlight: 8 })
    expect(parse(oneChain()).requests).toEqual({ perSecond: 40_000, inFlight: 64 })
  })

  test('may name the explorer and finality of a chain, known or not', () => {
    const text = `
chains:
  - { chainId: 11155111, rpc: [https://a.example], protocols: [sign], explorerUrl: "https://own.example/", finality: 5 }
  - { chainId: 80085, rpc: [https://b.example], contracts: [{ protocol: sign, address: "${contract}", startBlock: 0 }] }
`
    const [sepolia, artio] = parse(text).chains
    expect(sepolia).toMatchObject({ finality: 5, explorer: { transaction: 'https://own.example/tx/' } })
    expect(artio).toMatchObject({ name: 'chain 80085', finality: 64, explorer: null })
  })

  test('keeps what it spells out', () => {
    const config = parse(`
database: sqlite:/var/lib/attestry.db
server:
  host: "::1"
  port: 0
  workers: 3
  explorer: false
  export: false
  gate: named
  keys: [{ name: gatekeeper, hash: "${'0a'.repeat(32)}", rate: 6000, cost: 20000 }]
  private: [metrics, export]
  anonymous: false
  origins: ["https://app.example"]
  metricsHost: 10.0.0.7
  metricsPort: 9400
  proofBlocksPerMinute: 0
  rateLimit: { max: 600, windowSeconds: 60 }
  easLimits: { rows: 200000, bodyBytes: 1048576 }
  trustProxy: [loopback, 10.0.0.0/8, "fd00::/8", "192.0.2.1"]
chains:
  - chainId: 31337
    name: local
    rpc: [http://127.0.0.1:8545]
    contracts:
      - { protocol: sign, address: ${checksumAddress(address(contract))}, startBlock: 0 }
      - { protocol: eas, address: "${other.toUpperCase().replace('X', 'x')}", schemaRegistry: "${registry}", startBlock: 7 }
    finality: 0
    pollIntervalMs: 100
    transactionSenders: true
policies:
  member: { holds: { schema: onchain_evm_31337_0x1, attester: any } }
index:
  fields: [onchain_evm_31337_0x1A, onchain_evm_5_0x2]
`)
    expect(config).toEqual({
      database: { kind: 'sqlite', path: '/var/lib/attestry.db' },
      server: {
        host: '::1',
        port: 0,
        workers: 3,
        keys: [{ name: 'gatekeeper', hash: '0a'.repeat(32), rate: 6000, cost: 20_000 }],
        access: {
          private: { metrics: ['/metrics'], export: ['/scan/export'] },
          anonymous: false,
          origins: ['https://app.example'],
        },
        metricsHost: '10.0.0.7',
        metricsPort: 9400,
        maxAgeSeconds: 0,
        versionEveryMs: 0,
        rateLimit: { max: 600, windowSeconds: 60 },
        trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1'],
      },
      requests: { perSecond: 40_000, inFlight: 64 },
      journal: { rowsMax: 1_000_000, ageMaxMs: 259_200_000 },
      chains: [
        {
          chainId: 31337,
          name: 'local',
          explorer: null,
          rpc: ['http://127.0.0.1:8545'],
          deployments: [
            { protocol: 'sign', chainId: 31337, address: contract, schemaRegistry: null, startBlock: 0 },
            { protocol: 'eas', chainId: 31337, address: other, schemaRegistry: registry, startBlock: 7 },
          ],
          requests: { perSecond: 10_000, inFlight: 8 },
          finality: 0,
          from: null,
          pollIntervalMs: 100,
          transactionSenders: true,
        },
      ],
      fields: ['onchain_evm_31337_0x1a', 'onchain_evm_5_0x2'],
      wings: {
        export: false,
        chunks: { sample: 300, publicKey: null, from: null },
        outbox: null,
        sqlTables: [],
        hooks: [],
        explorer: false,
        mcp: false,
        proofs: { blocksPerMinute: 0, statesPerMinute: 60 },
        gate: {
          policies: { member: { holds: { schema: 'onchain_evm_31337_0x1', attester: 'any' } } },
          which: 'named',
        },
        offchain: { store: null, signerChains: [] },
        content: null,
        names: { labels: [], ensRpc: null },
        eas: { rows: 200_000, bodyBytes: 1_048_576 },
        verax: { rows: 200_000, bodyBytes: 1_048_576 },
        erc8004: { rows: 200_000, bodyBytes: 1_048_576 },
      },
    })
  })

  test('indexes the decoded fields of all schemas, unless it says none', () => {
    expect(parse(oneChain()).fields).toBe('all')
    expect(parse(`${oneChain()}\nindex: {}`).fields).toBe('all')
    expect(parse(`${oneChain()}\nindex: { fields: all }`).fields).toBe('all')
    expect(parse(`${oneChain()}\nindex: { fields: none }`).fields).toBe('none')
    expect(parse(`${oneChain()}\nindex: { fields: [] }`).fields).toEqual([])
  })

  test('is overridden by environment variables, and those by options', () => {
    const text = `${oneChain()}\nserver: { host: 0.0.0.0, port: 1, workers: 5 }\ndatabase: sqlite:./a.db`
    const environment = { HOST: '::', PORT: '2', DATABASE_URL: 'sqlite:///b.db' }
    const config = parse(text, { environment })
    expect(config.server).toEqual({
      host: '::',
      port: 2,
      workers: 5,
      keys: [],
      access: { private: {}, anonymous: true, origins: '*' },
      metricsHost: '127.0.0.1',
      maxAgeSeconds: 0,
      versionEveryMs: 0,
    })
    expect(config.database).toEqual({ kind: 'sqlite', path: '/b.db' })
    const flags = { host: 'localhost', port: '3' }
    expect(parse(text, { environment, flags }).server).toEqual({
      host: 'localhost',
      port: 3,
      workers: 5,
      keys: [],
      access: { private: {}, anonymous: true, origins: 'loopback' },
      metricsHost: '127.0.0.1',
      maxAgeSeconds: 0,
      versionEveryMs: 0,
    })
  })

  test('may lack the variables of endpoints that are not used', () => {
    const text = oneChain({ rpc: '["${ABSENT}/v3/x", "https://second.example"]' })
    expect(parse(text, { endpointsNeeded: false }).chains[0]?.rpc).toEqual(['https://second.example'])
  })
})

test.each(['./x.db', 'x.db', '../data/x.sqlite3', './data/index', '/var/lib/attestry/index'])(
  'a database may be the plain path %s',
  (database) => {
    const expected = { kind: 'sqlite', path: resolve(database) }
    expect(parse(`${oneChain()}\ndatabase: ${database}`).database).toEqual(expected)
    expect(parse(oneChain(), { environment: { DATABASE_URL: database } }).database).toEqual(expected)
  },
)

const mistakes: readonly [name: string, text: string, sentence: string][] = [
  ['an empty file', '', 'attestry.yaml is empty; it must name at least one chain under chains'],
  [
    'a file that is a text',
    'hello',
    'line 1: the file must be a block of keys (database, server, requests, journal, chunks, outbox, sql, hooks, policies, offchain, content, labels, ens, index, chains), but is "hello"',
  ],
  ['no chains', 'server: { port: 1 }', 'line 1: chains is missing; it must be a list of at least one'],
  [
    'an empty list of chains',
    'chains: []',
    'line 1: chains must be a list of at least one, but is an empty list',
  ],
  ['a misspelt key', 'chians:\n  - chainId: 1', 'line 1: chians is not a known key; did you mean chains?'],
  [
    "a limit of easscan's interface that is none",
    `${oneChain()}\nserver: { easLimits: { row: 5 } }`,
    'line 5: server.easLimits.row is not a known key; did you mean rows?',
  ],
  [
    "a limit of easscan's interface that lets nothing through",
    `${oneChain()}\nserver: { easLimits: { passes: 0 } }`,
    'line 5: server.easLimits.passes must be a whole number from 1 to 1000000, such as 10, but is 0',
  ],
  [
    'a misspelt key deep down',
    oneChain({ extra: 'finalty: 3' }),
    'line 5: chains[0].finalty is not a known key; did you mean finality?',
  ],
  [
    'a policy without attesters',
    `${oneChain()}\npolicies: { kyc: { all: [{ holds: { schema: onchain_evm_1_0x1 } }] } }`,
    'line 5: policies.kyc.all[0].holds.attester must be a list of 1 to 100 addresses, an object with holds, or any: every account may attest under a schema, but is missing',
  ],
  [
    'an unknown word for the gate',
    `${oneChain()}\nserver: { gate: nmed }`,
    'line 5: server.gate must be one of named, any, but is "nmed"; did you mean named?',
  ],
  [
    'an unknown word within the gate',
    `${oneChain()}\nserver: { gate: { policies: none, key: k.pem } }`,
    'line 5: server.gate.policies must be one of named, any, but is "none"',
  ],
  [
    'a chain of signers that is none of the chains',
    `${oneChain()}\noffchain: { signerChains: [10] }`,
    'line 5: offchain.signerChains[0] must be the chainId of one of chains (11155111), but is 10',
  ],
  [
    'signed verdicts of policies that are not evaluated',
    `${oneChain()}\nserver: { gate: { policies: named, signs: any, key: k.pem } }`,
    'line 5: server.gate.signs must be named, since server.gate.policies is named: policies of requests are not evaluated',
  ],
  [
    'a key at the wrong place of the gate',
    `${oneChain()}\nserver: { gate: "-----BEGIN PRIVATE KEY-----" }`,
    'line 5: server.gate must be one of named, any, but is a key that is not shown',
  ],
  [
    'a key that resembles none',
    `${oneChain()}\nserver: { tls: true }`,
    'line 5: server.tls is not a known key; the keys here are host, port, workers, keys, private, anonymous, origins, metricsHost, metricsPort, maxAgeSeconds, versionEveryMs, rateLimit, trustProxy, export, explorer, mcp, proofBlocksPerMinute, stateProofsPerMinute, gate, easLimits',
  ],
  [
    'an unknown private part',
    `${oneChain()}\nserver: { private: [metrix] }`,
    'line 5: server.private[0] must be one of scan, events, index, graphql, metrics, reference, export, mcp, offchain, eas, verax, erc8004, but is "metrix"; did you mean metrics?',
  ],
  [
    'a label of nothing that can have one',
    `${oneChain()}\nlabels: { vitalik: { name: Vitalik } }`,
    'line 5: labels.vitalik must be under an address or the composite id of a schema, but "vitalik" is neither',
  ],
  [
    'a label without a name',
    `${oneChain()}\nlabels: { onchain_evm_1_0x1: { link: "https://one.example" } }`,
    'line 5: labels.onchain_evm_1_0x1.name is missing; it must be a text, such as "Example Identity"',
  ],
  [
    'a label whose link is no page',
    `${oneChain()}\nlabels: { onchain_evm_1_0x1: { name: One, link: "javascript:alert(1)" } }`,
    'line 5: labels.onchain_evm_1_0x1.link must be a URL that starts with http:// or https://, such as "https://identity.example", but is "javascript:alert(1)"',
  ],
  [
    'two labels of one schema',
    `${oneChain()}\nlabels: { onchain_evm_1_0x1: { name: One }, onchain_evm_1_0X1: { name: Two } }`,
    'line 5: labels.onchain_evm_1_0X1 must name each address and schema once, but "onchain_evm_1_0x1" is the same',
  ],
  [
    'an endpoint of ENS that is none',
    `${oneChain()}\nens: { rpc: "wss://rpc.example/s3cr3t" }`,
    'line 5: ens.rpc must be a URL that starts with http:// or https://',
  ],
  [
    'content without gateways',
    `${oneChain()}\ncontent: { maxBytes: 5 }`,
    'line 5: content must name gateways under ipfs or arweave, or have https: true; it has neither',
  ],
  [
    'a store of off-chain attestations without keys',
    `${oneChain()}\noffchain: { store: true }`,
    'line 5: offchain.keys must name who may store: keys of server.keys, or anyone, but is missing',
  ],
  [
    'a store with a key that there is not',
    `${oneChain()}\noffchain: { store: true, keys: [labels] }`,
    'line 5: offchain.keys[0] must be the name of one of server.keys (there is none), or anyone, but is "labels"',
  ],
  [
    'an origin with a path',
    `${oneChain()}\nserver: { origins: ["https://app.example/"] }`,
    'line 5: server.origins[0] must be an origin such as https://app.example, without a path, but is "https://app.example/"',
  ],
  [
    'an origin outside a list',
    `${oneChain()}\nserver: { origins: "https://app.example" }`,
    'line 5: server.origins must be a list of at least one, such as ["https://app.example"], but is "https://app.example"',
  ],
  [
    'the hash of no key',
    `${oneChain()}\nserver: { keys: [{ name: a, hash: "1234" }] }`,
    'line 5: server.keys[0].hash must be the SHA-256 of a key as 64 hexadecimal digits, such as "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", but is "1234"',
  ],
  [
    'two keys of one name',
    `${oneChain()}\nserver: { keys: [{ name: a, hash: "${'0a'.repeat(32)}" }, { name: a, hash: "${'0b'.repeat(32)}" }] }`,
    'line 5: server.keys[1].name must be of one key alone, but "a" names two',
  ],
  [
    'a key that is a secret URL',
    `${oneChain()}\n"https://rpc.example/s3cr3t": 1`,
    'line 5: "https://rpc.example/…" is not a known key; the keys here are database, server, requests, journal, chunks, outbox, sql, hooks, policies, offchain, content, labels, ens, index, chains',
  ],
  [
    'a text where a number belongs',
    oneChain({ chainId: '"1"' }),
    'line 2: chains[0].chainId must be a whole number of at least 1, such as 11155111, but is "1" (a text)',
  ],
  [
    'a fraction',
    oneChain({ extra: 'finality: 1.5' }),
    'line 5: chains[0].finality must be a whole number from 0 to 100000, such as 64, but is 1.5',
  ],
  [
    'a negative finality',
    oneChain({ extra: 'finality: -1' }),
    'line 5: chains[0].finality must be a whole number from 0 to 100000, such as 64, but is -1',
  ],
  [
    'a chain without id and name',
    'chains:\n  - rpc: [http://a]\n    protocols: [sign]',
    'line 2: chains[0].chainId is missing; it must be a whole number of at least 1, such as 11155111, or name must be that of a known network',
  ],
  [
    'a name of no known network, without an id',
    'chains:\n  - name: sepoila\n    rpc: [http://a]\n    protocols: [sign]',
    'line 2: chains[0].name must be that of a known network where chainId is missing, but is "sepoila"; did you mean Sepolia?',
  ],
  [
    'a chain by its name beside the same by its id',
    `${oneChain()}\n  - name: sepolia\n    rpc: [http://b]\n    protocols: [sign]`,
    'line 5: chains[1].name must be listed once, but is 11155111 as in chains[0]',
  ],
  [
    'a missing key',
    'chains:\n  - chainId: 11155111\n    protocols: [sign]',
    'line 2: chains[0].rpc is missing; it must be a list of at least one, such as ["wss://rpc.example","https://rpc.example"]',
  ],
  [
    'one endpoint without a list',
    oneChain({ rpc: 'https://rpc.example/s3cr3t' }),
    'line 3: chains[0].rpc must be a list of at least one, such as ["wss://rpc.example","https://rpc.example"], but is "https://rpc.example/…"',
  ],
  [
    'an endpoint without a scheme',
    oneChain({ rpc: '[rpc.example/s3cr3t]' }),
    'line 3: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is a text of 18 characters that is not shown',
  ],
  [
    'an endpoint over another transport',
    oneChain({ rpc: '["ftp://user:s3cr3t@rpc.example/s3cr3t?x=s3cr3t"]' }),
    'line 3: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "ftp://rpc.example/…"',
  ],
  [
    'an endpoint whose variable holds no URL that can be used',
    oneChain({ rpc: '["${BAD_RPC}"]' }),
    'line 3: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "${BAD_RPC}" (an environment variable, whose value is not shown)',
  ],
  [
    'an endpoint that is no URL',
    oneChain({ rpc: '["http://"]' }),
    'line 3: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "http://"',
  ],
  [
    'an endpoint twice',
    oneChain({ rpc: '["http://a.example/s3cr3t", "http://a.example/s3cr3t"]' }),
    'line 3: chains[0].rpc[1] is the same URL as chains[0].rpc[0]; list each endpoint once',
  ],
  [
    'a variable that is not set',
    oneChain({ rpc: '["${ABSENT}"]' }),
    'line 3: chains[0].rpc[0] names the environment variable ABSENT, which is not set; set it or write the value into the file',
  ],
  [
    'a variable that is empty',
    oneChain({ rpc: '["https://rpc.example/${EMPTY}"]' }),
    'line 3: chains[0].rpc[0] names the environment variable EMPTY, which is empty; set it or write the value into the file',
  ],
  [
    'a variable with a default',
    oneChain({ rpc: '["${SEPOLIA_RPC:-s3cr3t}"]' }),
    'line 3: chains[0].rpc[0] has a ${ that is not the start of ${NAME}, where NAME is the name of an environment variable in letters, digits and _',
  ],
  [
    'an explorer that is no URL',
    oneChain({ extra: 'explorerUrl: scan.example' }),
    'line 5: chains[0].explorerUrl must be a URL that starts with http:// or https://, without a query, such as "https://sepolia.etherscan.io", but is "scan.example"',
  ],
  [
    'a chain twice',
    `${oneChain()}\n  - chainId: 11155111\n    rpc: [http://b]\n    protocols: [sign]`,
    'line 5: chains[1].chainId must be listed once, but is 11155111 as in chains[0]',
  ],
  [
    'a misspelt protocol',
    oneChain({ what: 'protocols: [sing]' }),
    'line 4: chains[0].protocols[0] must be one of sign, eas, but is "sing"; did you mean sign?',
  ],
  [
    'an unknown protocol',
    oneChain({ what: 'protocols: [sign, verax]' }),
    'line 4: chains[0].protocols[1] must be one of sign, eas, but is "verax"',
  ],
  [
    'a protocol without a known deployment on the chain',
    oneChain({ chainId: '31337' }),
    'line 4: chains[0].protocols[0] must have a known deployment on chain 31337, but is sign; spell the contract out under contracts, with its address',
  ],
  [
    'nothing to index',
    'chains:\n  - chainId: 1\n    rpc: [http://a]',
    'line 2: chains[0] names nothing to index; add protocols (sign, eas) for known deployments, or contracts',
  ],
  [
    'a protocol twice',
    oneChain({ what: 'protocols: [sign, sign]' }),
    'line 4: chains[0].protocols[1] is the same contract as chains[0].protocols[0]; list each once',
  ],
  [
    'a short address',
    oneChain({ what: 'contracts: [{ protocol: sign, address: "0x12", startBlock: 0 }]' }),
    'line 4: chains[0].contracts[0].address must be an address of 0x and 40 hexadecimal digits, such as "0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5", but is "0x12"',
  ],
  [
    'an address with a wrong checksum',
    oneChain({
      what: `contracts: [{ protocol: sign, address: "${contract.replace('c', 'C')}", startBlock: 0 }]`,
    }),
    `line 4: chains[0].contracts[0].address must have a right checksum or be in lower case, but is "${contract.replace('c', 'C')}"; look for a mistyped digit`,
  ],
  [
    'a contract that is a known deployment already listed',
    oneChain({
      what: `protocols: [sign]\n    contracts: [{ protocol: sign, address: "${contract}", startBlock: 0 }]`,
    }),
    'line 5: chains[0].contracts[0] is the same contract as chains[0].protocols[0]; list each once',
  ],
  [
    'a second contract of a protocol',
    oneChain({
      what: `protocols: [sign]\n    contracts: [{ protocol: sign, address: "${other}", startBlock: 0 }]`,
    }),
    'line 5: chains[0].contracts[0] is a second sign contract beside chains[0].protocols[0]; a chain can have one of each protocol, as the ids of two would collide',
  ],
  [
    'a missing schema registry',
    oneChain({ what: `contracts: [{ protocol: eas, address: "${other}", startBlock: 0 }]` }),
    'line 4: chains[0].contracts[0].schemaRegistry is missing; it must be the address of the contract in which eas registers schemas',
  ],
  [
    'a schema registry that the protocol does not have',
    oneChain({
      what: `contracts: [{ protocol: sign, address: "${other}", schemaRegistry: "${registry}", startBlock: 0 }]`,
    }),
    'line 4: chains[0].contracts[0].schemaRegistry is given, but sign registers schemas in the same contract; leave the key out',
  ],
  [
    'a port that does not exist',
    `${oneChain()}\nserver: { port: 65536 }`,
    'line 5: server.port must be a whole number from 0 to 65535, such as 4000, but is 65536',
  ],
  [
    'a host that is a URL',
    `${oneChain()}\nserver: { host: "http://127.0.0.1/s3cr3t" }`,
    'line 5: server.host must be an IP address or the name of a host, such as "127.0.0.1", but is "http://127.0.0.1/…"',
  ],
  [
    'a limit without a window',
    `${oneChain()}\nserver: { rateLimit: { max: 5 } }`,
    'line 5: server.rateLimit.windowSeconds is missing; it must be a whole number from 1 to 86400, such as 60',
  ],
  [
    'a proxy that is a name',
    `${oneChain()}\nserver: { trustProxy: [proxy.example] }`,
    'line 5: server.trustProxy[0] must be an IP address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal, such as "loopback", but is "proxy.example"',
  ],
  [
    'a proxy that is no address',
    `${oneChain()}\nserver: { trustProxy: ["10.0.0.1", "10.0.0.0/33"] }`,
    'line 5: server.trustProxy[1] must be an IP address or a network such as 10.0.0.0/8, but is "10.0.0.0/33"',
  ],
  [
    'a PostgreSQL database without its name',
    `${oneChain()}\ndatabase: postgres://user:s3cr3t@db.example/`,
    'line 5: database must be like postgres://user:password@host:5432/database, but is "postgres://db.example/", which names no database of the server',
  ],
  [
    'a PostgreSQL database without its server',
    `${oneChain()}\ndatabase: postgres:///attestry`,
    'line 5: database must be like postgres://user:password@host:5432/database, but is "postgres:///…", which names no server',
  ],
  [
    'a password that is not encoded',
    `${oneChain()}\ndatabase: postgres://user:s3cr3t/hunter2@db.example/attestry`,
    'line 5: database must be like postgres://user:password@host:5432/database, but is a text of 50 characters that is not shown, which is no URL; write @ and / of a password as %40 and %2F',
  ],
  [
    'a password of digits that is not encoded',
    `${oneChain()}\ndatabase: "postgres://user:12?34@db.example/attestry"`,
    'line 5: database must be like postgres://user:password@host:5432/database, but is a text of 41 characters that is not shown, which names no database of the server',
  ],
  [
    'a database of another kind',
    `${oneChain()}\ndatabase: mysql://user:s3cr3t@db.example/attestry`,
    'line 5: database must be the path of a SQLite file, such as sqlite:./data/attestry.db, or the URL of a PostgreSQL database, but is "mysql://db.example/…"',
  ],
  [
    'a block of the database with an unknown key',
    `${oneChain()}\ndatabase: { urls: "postgres://user:s3cr3t@db.example/a" }`,
    'line 5: database.urls is not a known key; did you mean url?',
  ],
  [
    'index.fields that is neither word',
    `${oneChain()}\nindex: { fields: some }`,
    'line 5: index.fields must be one of all, none, but is "some"',
  ],
  [
    'a schema of index.fields that is no composite id',
    `${oneChain()}\nindex: { fields: [onchain_evm_5_0x2, 0x3] }`,
    'line 5: index.fields[1] must be the composite id of a schema, such as "onchain_evm_11155111_0x1a", but is 3',
  ],
  [
    'a schema of index.fields that no record can be',
    `${oneChain()}\nindex: { fields: [onchain_evm_5_0x02] }`,
    'line 5: index.fields[0] must be the composite id of a schema as answers print it, but no record has the id onchain_evm_5_0x02',
  ],
  [
    'replicas, a key of an older version',
    `${oneChain()}\ndatabase: { url: "postgres://user:s3cr3t@db.example/a", replicas: [] }`,
    'line 5: database.replicas is no longer a key; take it out, and run `attestry serve` for each replica, with the URL of the replica as its database',
  ],
  [
    'a database that is a word',
    `${oneChain()}\ndatabase: s3cr3t`,
    'line 5: database must be the path of a SQLite file, such as sqlite:./data/attestry.db, or the URL of a PostgreSQL database, but is a text of 6 characters that is not shown',
  ],
  [
    'a database without a file',
    `${oneChain()}\ndatabase: "sqlite:"`,
    'line 5: database must be the path of a SQLite file, such as sqlite:./data/attestry.db, but is "sqlite:", which names no file',
  ],
  [
    'a database in memory',
    `${oneChain()}\ndatabase: "sqlite::memory:"`,
    'line 5: database must be the path of a SQLite file, such as sqlite:./data/attestry.db, but is "sqlite::memory:", a database in memory, which writer and readers cannot share',
  ],
  ['a key twice', 'chains: []\nchains: []', 'attestry.yaml line 2 repeats the key chains; keep one of them'],
  [
    'an open bracket',
    'chains:\n  - rpc: ["https://rpc.example/s3cr3t"\n    chainId: 1',
    'attestry.yaml line 3 is no valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  [
    'a variable without quotes in a list',
    'chains:\n  - rpc: [${SEPOLIA_RPC}]',
    'attestry.yaml line 2 is no valid YAML: inside [ ] and { }, a ${NAME} must stand in quotes',
  ],
  ['a tab', 'chains:\n\t- chainId: 1', 'attestry.yaml line 2 is indented with a tab; YAML wants spaces'],
  ['an alias', 'chains: &a [*a]', 'attestry.yaml line 1 holds an alias (*name); write the value out'],
]

describe('hooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const withHook = (lines: string, name = 'payments') =>
    `${oneChain()}\nhooks:\n  - name: ${name}\n    ${lines.split('\n').join('\n    ')}`
  const right = `url: "https://r.example/?key=s3cr3t"\nsecret: "${secret}"`

  test('are filled in with defaults', () => {
    const { wings: parts, journal } = parse(`${withHook(right)}\njournal: { hours: 2, rows: 5000 }`)
    expect(configOf(hooksWing, parts)).toEqual([
      {
        name: 'payments',
        url: 'https://r.example/?key=s3cr3t',
        secrets: [secret],
        events: new Set(hookEvents),
        when: 'head',
        filter: { schema: null, attester: null, recipient: null, chainId: null, protocol: null, fields: [] },
        staleAfterMs: 300_000,
      },
    ])
    expect(journal).toEqual({ rowsMax: 5_000, ageMaxMs: 7_200_000 })
  })

  test('a key of an older version is refused with what to do instead', () => {
    expect(mistakeOf(() => parse(`peers: ['https://other.example']\n${oneChain()}`))).toContain(
      'peers is no longer a key; take it out, and compare two services by `attestry verify --against URL`',
    )
  })

  test('reports an invalid database beside an outbox only once, and without the value of its variable', () => {
    const environment = { DB: 'mysql://user:secret@host/db' }
    const told = mistakeOf(() => parse(`${oneChain()}\ndatabase: \${DB}\noutbox: {}`, { environment }))
    expect(told.match(/line [0-9]+/g)).toHaveLength(1)
    expect(told).not.toContain('mysql')
  })

  test('an outbox has the limits of the journal, and needs PostgreSQL', () => {
    const postgres = `${oneChain()}\ndatabase: postgres://db.example/attestry`
    const limitsOf = (outbox: string) => configOf(outboxWing, parse(`${postgres}\noutbox: ${outbox}`).wings)
    expect(limitsOf('{}')).toEqual({ rowsMax: 1_000_000, ageMaxMs: 259_200_000 })
    expect(limitsOf('{ hours: 1, rows: 2000 }')).toEqual({
      rowsMax: 2_000,
      ageMaxMs: 3_600_000,
    })
    expect(() => parse(`${oneChain()}\noutbox: {}`)).toThrow(
      'outbox needs a database of PostgreSQL; a SQLite file has no outbox',
    )
  })

  test.each(['31337', '"31337"'])(
    'name the chain %s of a filter as answers do, or as a number',
    (chainId) => {
      const text = `${oneChain()}\nhooks:\n  - { name: a, url: "http://r.example", secret: "${secret}", filter: { chainId: ${chainId} } }`
      expect(configOf(hooksWing, parse(text).wings)[0]?.filter.chainId).toBe(31_337)
    },
  )

  test('have two secrets while one is changed, and a filter', () => {
    const filter = `filter: { schemaId: onchain_evm_1_0x1A, attester: "${contract}", recipient: "did:x:y", chainId: 1, protocol: eas, field: { person.name: Ann } }`
    const text = withHook(
      `url: http://r.example\nsecret: ["${secret}", "${secret}"]\nwhen: final\nevents: [chain.stale]\n${filter}`,
    )
    const [hook] = configOf(hooksWing, parse(text).wings)
    expect(hook).toMatchObject({ secrets: [secret, secret], when: 'final', events: new Set(['chain.stale']) })
    expect(hook?.filter).toEqual({
      schema: { chainId: 1, localId: '0x1a' },
      attester: contract,
      recipient: { kind: 'value', value: 'did:x:y' },
      chainId: 1,
      protocol: 'eas',
      fields: [{ path: ['person', 'name'], operator: 'equals', values: ['Ann'] }],
    })
  })

  test('filter by the conditions on fields that policies have', () => {
    const conditions =
      'field: { level: { gte: 2, lt: 9 }, count: 7, live: true, country: { in: [FR, DE] }, name: { startsWith: A } }'
    const [hook] = configOf(hooksWing, parse(withHook(`${right}\nfilter: { ${conditions} }`)).wings)
    expect(hook?.filter.fields).toEqual([
      { path: ['level'], operator: 'gte', values: ['2'] },
      { path: ['level'], operator: 'lt', values: ['9'] },
      { path: ['count'], operator: 'equals', values: ['7'] },
      { path: ['live'], operator: 'equals', values: ['true'] },
      { path: ['country'], operator: 'in', values: ['FR', 'DE'] },
      { path: ['name'], operator: 'startsWith', values: ['A'] },
    ])
  })

  test('need no variables if nothing is sent', () => {
    const text = withHook('url: "${HOOK_URL}"\nsecret: "${HOOK_SECRET}"')
    expect(configOf(hooksWing, parse(text, { endpointsNeeded: false }).wings)).toHaveLength(1)
    expect(mistakeOf(() => parse(text))).toContain(
      'names the environment variable HOOK_URL, which is not set',
    )
  })

  test.each([
    ['url: ftp://s3cr3t\nsecret: "x"', 'hooks[0].url must be a URL that starts with http:// or https://'],
    ['url: http://r.example\nsecret: s3cr3t', 'hooks[0].secret must be whsec_ and 24 to 64 bytes in Base64'],
    [`${right}\nfilter: { schemaId: x }`, 'hooks[0].filter.schemaId must be a composite id'],
    [`${right}\nfilter: { chainId: x }`, 'hooks[0].filter.chainId must be a'],
    [`${right}\nfilter: { chainId: 0 }`, 'hooks[0].filter.chainId must be a'],
    [`${right}\nfilter: { attester: x }`, 'hooks[0].filter.attester must be an address'],
    [
      `${right}\nfilter: { field: { 'a\\': x } }`,
      'hooks[0].filter.field."a\\\\" must be the path of a field: names with dots between them',
    ],
    [
      `${right}\nfilter: { field: { level: { above: 2 } } }`,
      'hooks[0].filter.field.level.above is no operator; the operators are in, gt, gte, lt, lte, contains, startsWith',
    ],
    [
      `${right}\nfilter: { field: { level: {} } }`,
      'hooks[0].filter.field.level must be a value or have one of in, gt,',
    ],
    [
      `${right}\nfilter: { field: { level: { gte: 1.5 } } }`,
      'hooks[0].filter.field.level.gte must be a text, a whole number or true or false, but is 1.5',
    ],
    [`${right}\nevents: [attestation.maid]`, 'hooks[0].events[0]'],
  ])('tell the mistake in %s', (lines, sentence) => {
    const message = mistakeOf(() => parse(withHook(lines)))
    expect(message).toContain(sentence)
    expect(message).not.toContain('s3cr3t')
  })

  test('have names of their own', () => {
    const twice = `${withHook(right)}\n  - name: payments\n    ${right.replace('\n', '\n    ')}`
    expect(mistakeOf(() => parse(twice))).toContain(
      'hooks[1].name must be unique, but is payments as in hooks[0]',
    )
  })
})

test('labels name addresses, with or without quotes, and schemas', () => {
  const text = `${oneChain()}
labels:
  0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5: { name: Someone }
  onchain_evm_1_0x1: { name: One, link: https://one.example/a?b, source: one.example }
ens: { rpc: "https://rpc.example/\${ENS_KEY}" }`
  expect(configOf(namesWing, parse(text, { environment: { ENS_KEY: 'k' } }).wings)).toEqual({
    labels: [
      {
        id: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
        name: 'Someone',
        link: null,
        source: 'configuration',
      },
      { id: 'onchain_evm_1_0x1', name: 'One', link: 'https://one.example/a?b', source: 'one.example' },
    ],
    ensRpc: 'https://rpc.example/k',
  })
})

describe('a mistake is one sentence', () => {
  test.each(mistakes)('about %s', (_name, text, sentence) => {
    const message = mistakeOf(() => parse(text))
    expect(message).toBe(sentence.startsWith('attestry.yaml') ? sentence : `attestry.yaml ${sentence}`)
    expect(message).not.toMatch(/s3cr3t|hunter2|\n/)
  })

  test.each([
    [
      { PORT: '8o80' },
      'The environment variable PORT must be a whole number from 0 to 65535, such as 4000, but is a value that is not shown',
    ],
    [
      { PORT: '70000' },
      'The environment variable PORT must be a whole number from 0 to 65535, such as 4000, but is a value that is not shown',
    ],
    [
      { HOST: 'a b' },
      'The environment variable HOST must be an IP address or the name of a host, such as 127.0.0.1, but is a value that is not shown',
    ],
    [
      { DATABASE_URL: 'postgres://user:s3cr3t@db.example/a/b' },
      'The environment variable DATABASE_URL must be like postgres://user:password@host:5432/database, but is a value that is not shown, which names no database of the server',
    ],
    [
      { DATABASE_URL: 's3cr3t' },
      'The environment variable DATABASE_URL must be the path of a SQLite file, such as sqlite:./data/attestry.db, or the URL of a PostgreSQL database, but is a value that is not shown',
    ],
  ])('about the variables %j', (environment, sentence) => {
    expect(mistakeOf(() => parse(oneChain(), { environment }))).toBe(sentence)
  })
})

function parse(text: string, { environment, ...options }: Partial<LoadConfigOptions> = {}) {
  return parseConfig(text, 'attestry.yaml', {
    environment: { ...secretEnvironment, ...environment },
    known,
    parts: wings,
    endpointsNeeded: true,
    ...options,
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

/** A right configuration of one chain, in which each part can be replaced; a fifth line where `extra` is given. */
function oneChain(parts: { chainId?: string; rpc?: string; what?: string; extra?: string } = {}): string {
  const { chainId = '11155111', rpc = '["${SEPOLIA_RPC}"]', what = 'protocols: [sign]', extra } = parts
  const lines = ['chains:', `  - chainId: ${chainId}`, `    rpc: ${rpc}`, `    ${what}`]
  return [...lines, ...(extra === undefined ? [] : [`    ${extra}`])].join('\n')
}

function address(text: string): Address {
  const parsed = parseAddress(text)
  if (parsed === null) throw new Error(`${text} is no address`)
  return parsed
}

function knownDeployment(
  protocol: string,
  chainId: number,
  contractText: string,
  registryText: string | null,
  startBlock: number | null,
) {
  const schemaRegistry = registryText === null ? null : address(registryText)
  return {
    protocol,
    deploymentName: null,
    chainId,
    chainName: `chain ${chainId}`,
    contract: address(contractText),
    schemaRegistry,
    registries: {},
    startBlock,
    startBlockHint: null,
  }
}

test('the name of a known network stands for its id and its deployments', () => {
  const byId = parse('chains:\n  - { chainId: 11155111, rpc: [http://a], protocols: [sign, eas] }').chains
  for (const name of ['sepolia', 'Sepolia']) {
    const text = `chains:\n  - { name: ${name}, rpc: [http://a], protocols: [sign, eas] }`
    expect(parse(text).chains, name).toEqual(byId.map((chain) => ({ ...chain, name })))
  }
})

test('a worker for each processor, less one for the indexer where there are some', () => {
  expect([1, 2, 3, 4, 16].map(workersDefault)).toEqual([1, 2, 2, 3, 15])
})
