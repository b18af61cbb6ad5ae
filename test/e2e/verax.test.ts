import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseEventLogs,
  stringToHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { deployVerax, veraxAbi } from '@attestry/demo/deployVerax.ts'
import { easAbi } from '@attestry/demo/easAbi.ts'
import { easDemo } from '@attestry/demo/easDemo.ts'
import {
  createDevClient,
  deployContract,
  type DevClient,
  type DevTransaction,
  mineTransactions,
} from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { checkProof } from '@attestry/trust/proofs/checkProof.ts'
import { parseProof } from '@attestry/trust/proofs/parseProof.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { readContractCode } from '../sdks/contractCode.ts'

const chainId = 31_337
const chainPrefix = 5n << 240n
const owner = demoAccount(0).address
const issuer = demoAccount(1).address
const subject = demoAccount(5).address
const text = '(bool isHuman, string provider)'
const schemaId = keccak256(stringToHex(text))
/**
 * EAS hashes the text, the resolver and the revocability of a schema, Verax only the text. This text has the id of
 * `bool like` of EAS, without a resolver and revocable.
 */
const sharedText = `bool like${'\0'.repeat(20)}\u0001`
const sharedId = keccak256(stringToHex(sharedText))
/** The contracts of EAS are the first that `owner` deploys. */
const [easRegistry, easAddress] = [0n, 1n].map((nonce) => getContractAddress({ from: owner, nonce })) as [
  Address,
  Address,
]
const fields = [{ type: 'tuple', components: [{ type: 'bool' }, { type: 'string' }] }] as const
const wrapped = encodeAbiParameters(fields, [[true, 'someone']])
/** A schema whose payloads begin with the fields of another, attested under to a subject of 32 bytes. */
const childText = `@extends ${schemaId} uint8 score`
const childId = keccak256(stringToHex(childText))
const childFields = [{ ...fields[0], components: [...fields[0].components, { type: 'uint8' }] }] as const
const childData = encodeAbiParameters(childFields, [[true, 'their parent', 7]])
const localId = (number: number) =>
  `0x${(chainPrefix + BigInt(number)).toString(16).padStart(64, '0')}` as const
const id = (local: string): string => `onchain_evm_${chainId}_${local}`

const folder = mkdtempSync(join(tmpdir(), 'attestry-verax-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
let attestry: SpawnedAttestry
let url = ''
let portal = ''
let moduleAddress = ''
/** The attestation of EAS under the id that two schemas share. */
let easUid = ''

beforeAll(async () => {
  const anvil = await startAnvil({ chainId, manualMining: true })
  cleanups.push(() => anvil.stop())
  const client = createDevClient(anvil.url)
  const send = async (transaction: DevTransaction) => mineTransactions(client, [transaction])
  await easDemo.deploy(client, { from: owner })
  const contracts = await deployVerax(client, { from: owner, nonce: 3, chainPrefix })
  const { attestationRegistry, schemaRegistry, portalRegistry, moduleRegistry } = contracts
  const [deployed] = await send({
    from: issuer,
    to: portalRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'deployDefaultPortal',
      args: [[], 'Human Portal', 'People', true, 'Issuer'],
    }),
  })
  moduleAddress = await registerModule(client, moduleRegistry)
  const events = parseEventLogs({ abi: veraxAbi, logs: deployed?.logs ?? [], eventName: 'PortalRegistered' })
  const to = events[0]?.args.portal ?? owner
  portal = to
  await send({
    from: issuer,
    to: schemaRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'createSchema',
      args: ['Human', 'Who is one', 'https://schema.org/Person', text],
    }),
  })
  const flat = encodeAbiParameters(fields[0].components, [false, 'nobody'])
  const payload = (attestationData: `0x${string}`, to20: `0x${string}` = subject) =>
    ({ schemaId, expirationDate: 0n, subject: to20, attestationData }) as const
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'bulkAttest',
      args: [
        [payload(wrapped), payload(flat), payload(wrapped, stringToHex('did:key:z6Mk'))],
        [[], [], []],
      ],
    }),
  })
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'replace',
      args: [localId(1), payload(wrapped), []],
    }),
  })
  await send({
    from: issuer,
    to,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'revoke', args: [localId(2)] }),
  })
  await send({
    from: issuer,
    to: schemaRegistry,
    data: encodeFunctionData({
      abi: veraxAbi,
      functionName: 'updateContext',
      args: [schemaId, 'https://schema.org/Thing'],
    }),
  })
  easUid = await shareSchemaId(send, { schemaRegistry, portal: to })
  await extendSchema(send, { attestationRegistry, schemaRegistry, portal: to })
  // The records are old: their numbers are followed, and their counter witnesses that none is missing.
  await client.mine({ blocks: 300 })
  writeFileSync(
    join(folder, 'attestry.yaml'),
    [
      'database: sqlite:index.db',
      'server: { port: 0, workers: 1 }',
      'chains:',
      `  - chainId: ${chainId}`,
      `    rpc: ["${anvil.url}"]`,
      '    pollIntervalMs: 20',
      '    contracts:',
      `      - { protocol: eas, address: "${easAddress}", schemaRegistry: "${easRegistry}" }`,
      `      - { protocol: verax, address: "${attestationRegistry}", schemaRegistry: "${schemaRegistry}", portalRegistry: "${portalRegistry}", moduleRegistry: "${moduleRegistry}" }`,
    ].join('\n'),
  )
  attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  url = (JSON.parse(await attestry.waitForLine(/"msg":"serving"/)) as { url: string }).url
  await attestry.waitForLine(/reached the head/)
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('serves the attestations, replacements and revocations of Verax portals correctly', async () => {
  expect(await get(`/scan/schemas/${id(schemaId)}`)).toMatchObject({
    name: 'Human',
    description: 'Who is one',
    context: 'https://schema.org/Thing',
    registrant: issuer,
    data: [
      { name: 'isHuman', type: 'bool' },
      { name: 'provider', type: 'string' },
    ],
  })
  expect(await get(`/scan/attestations/${id(localId(1))}`)).toMatchObject({
    attester: issuer,
    recipients: [subject],
    portal,
    portalName: 'Human Portal',
    portalOwner: issuer,
    portalOwnerName: 'Issuer',
    revoked: true,
    revokeReason: `replaced by ${id(localId(4))}`,
  })
  expect(await get(`/scan/attestations/${id(localId(2))}?include=decoded`)).toMatchObject({
    revoked: true,
    revokeReason: '',
    decodedData: [
      { name: 'isHuman', value: false },
      { name: 'provider', value: 'nobody' },
    ],
  })
  expect(await get(`/scan/attestations/${id(localId(3))}`)).toMatchObject({ recipients: ['did:key:z6Mk'] })
  expect(await get(`/scan/attestations/${id(localId(4))}?include=decoded`)).toMatchObject({
    linkedAttestation: id(localId(1)),
    revoked: false,
    decodedData: [
      { name: 'isHuman', value: true },
      { name: 'provider', value: 'someone' },
    ],
  })
  expect(await get(`/scan/attestations?portal=${portal.toLowerCase()}&revoked=false`)).toMatchObject({
    total: 5,
  })
  expect(await get(`/scan/attestations?portal=${issuer}`)).toMatchObject({ total: 0, rows: [] })
  expect(await get(`/scan/attestations?schemaId=${id(schemaId)}&field[provider]=someone`)).toMatchObject({
    total: 3,
  })
})

test('a schema of EAS and one of Verax that share an id are served apart', async () => {
  const schema = `/scan/schemas/${id(sharedId)}`
  expect(await get(schema)).toMatchObject({
    name: '',
    registrant: issuer,
    data: [{ name: 'like', type: 'bool' }],
  })
  expect(await get(`${schema}?protocol=verax`)).toMatchObject({
    name: 'Also like',
    context: 'https://schema.org/LikeAction',
  })
  const found = `/scan/attestations?schemaId=${id(sharedId)}&include=decoded`
  expect(await get(found)).toMatchObject({
    total: 1,
    rows: [{ attestationId: easUid, decodedData: [{ name: 'like', value: true }] }],
  })
  // The text for Verax has no fields, so that a payload that EAS's `bool like` would decode stays undecoded.
  expect(await get(`${found}&protocol=verax`)).toMatchObject({
    total: 2,
    rows: [
      { attestationId: localId(6), decodedData: null },
      { attestationId: localId(5), decodedData: null },
    ],
  })
  const query = `query ($id: String!, $protocol: String) {
    schema(id: $id, protocol: $protocol) { protocol name attestationCount attestations { nodes { attestationId } } }
    attestations(filter: { schemaId: $id, protocol: $protocol }) { totalCount nodes { schema { protocol } } }
  }`
  const ask = async (protocol: string | null) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { id: id(sharedId), protocol } }),
    })
    return ((await response.json()) as { data: unknown }).data
  }
  expect(await ask(null)).toEqual({
    schema: {
      protocol: 'eas',
      name: '',
      attestationCount: 1,
      attestations: { nodes: [{ attestationId: easUid }] },
    },
    attestations: { totalCount: 1, nodes: [{ schema: { protocol: 'eas' } }] },
  })
  expect(await ask('verax')).toEqual({
    schema: {
      protocol: 'verax',
      name: 'Also like',
      attestationCount: 2,
      attestations: { nodes: [{ attestationId: localId(6) }, { attestationId: localId(5) }] },
    },
    attestations: {
      totalCount: 2,
      nodes: [{ schema: { protocol: 'verax' } }, { schema: { protocol: 'verax' } }],
    },
  })
})

const portalSelection =
  '{ id ownerAddress modules isRevocable name description ownerName attestationCounter }'

/** As the SDK of Verax 5.2.0 writes its requests: every list with literal values, null for a missing one. */
const attestationSelection = `{
  id replacedBy attester attestedDate expirationDate revocationDate version revoked subject encodedSubject
  attestationData decodedData
  schema { id name description context schema attestationCounter }
  portal ${portalSelection}
}`

test("the documents of Verax's SDK are answered as its subgraph answers them", async () => {
  const [first, last] = [localId(1), localId(4)]
  const known = {
    id: portal.toLowerCase(),
    ownerAddress: issuer.toLowerCase(),
    modules: [],
    isRevocable: true,
    name: 'Human Portal',
    description: 'People',
    ownerName: 'Issuer',
    attestationCounter: 7,
  }
  const { attestation } = await askSubgraph(
    `query get_attestation { attestation(id: "${first}") ${attestationSelection} }`,
  )
  expect(attestation).toEqual({
    id: first,
    replacedBy: last,
    attester: issuer.toLowerCase(),
    attestedDate: expect.stringMatching(/^\d+$/) as string,
    expirationDate: '0',
    revocationDate: expect.stringMatching(/^[1-9]\d+$/) as string,
    version: '0',
    revoked: true,
    subject: subject.toLowerCase(),
    encodedSubject: subject.toLowerCase(),
    attestationData: wrapped,
    decodedData: ['true', 'someone'],
    schema: {
      id: schemaId,
      name: 'Human',
      description: 'Who is one',
      context: 'https://schema.org/Thing',
      schema: text,
      attestationCounter: 4,
    },
    portal: known,
  })
  const list = (where: string, order = 'orderBy: null orderDirection: null') =>
    `query get_attestations{ attestations( first: 100 skip: 0 where: ${where} ${order} ) ${attestationSelection} }`
  const numbersOf = async (...args: Parameters<typeof list>) => {
    const { attestations } = await askSubgraph(list(...args))
    return (attestations as { id: string }[]).map(({ id: found }) => Number(BigInt(found) - chainPrefix))
  }
  expect(await numbersOf('null')).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await numbersOf('null', 'orderBy: attestedDate orderDirection: desc')).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect(await numbersOf(`{portal:"${portal.toLowerCase()}",revoked:false}`)).toEqual([3, 4, 5, 6, 7])
  expect(await numbersOf(`{subject:"${subject.toLowerCase()}"}`)).toEqual([1, 2, 4, 5, 6, 7])
  expect(await numbersOf(`{subject:"${stringToHex('did:key:z6Mk')}"}`)).toEqual([3])
  expect(
    await numbersOf(`{schema_:{name_contains_nocase:"HUM"},attestationData_contains:"${wrapped}"}`),
  ).toEqual([1, 3, 4])
  expect(await numbersOf(`{schema_in:["${schemaId}"],id_gt:"${localId(2)}"}`)).toEqual([3, 4])
  // The id of a schema of EAS as well, which has an attestation of its own.
  expect(await numbersOf(`{schema:"${sharedId}"}`)).toEqual([5, 6])
  expect(await numbersOf(`{replacedBy:"${last}"}`)).toEqual([1])
  expect(await numbersOf(`{portal:"${issuer.toLowerCase()}"}`)).toEqual([])
  expect(await askSubgraph(`query get_schema { schema(id: "${schemaId}") { id schema } }`)).toEqual({
    schema: { id: schemaId, schema: text },
  })
  expect(await askSubgraph(`query get_portal { portal(id: "${portal}") ${portalSelection} }`)).toEqual({
    portal: known,
  })
  expect(await askSubgraph(`query get_portal { portal(id: "${issuer}") { id } }`)).toEqual({ portal: null })
  const portals = (where: string) =>
    askSubgraph(
      `query get_portals{ portals( first: 100 skip: 0 where: ${where} orderBy: null orderDirection: null ) ${portalSelection} }`,
    )
  expect(await portals('null')).toEqual({ portals: [known] })
  expect(await portals('{ownerName_contains_nocase:"issu",name_contains:"Human"}')).toEqual({
    portals: [known],
  })
  expect(await portals('{description:"Others"}')).toEqual({ portals: [] })
  const module = { id: moduleAddress, moduleAddress, name: 'Anybody', description: 'Refuses nobody' }
  const moduleSelection = '{ id moduleAddress name description }'
  expect(await askSubgraph(`query get_module { module(id: "${moduleAddress}") ${moduleSelection} }`)).toEqual(
    { module },
  )
  const modules = (where: string) =>
    askSubgraph(
      `query get_modules{ modules( first: 100 skip: 0 where: ${where} orderBy: name orderDirection: desc ) ${moduleSelection} }`,
    )
  expect(await modules('null')).toEqual({ modules: [module] })
  expect(await modules('{name_contains:"body"}')).toEqual({ modules: [module] })
  expect(await modules('{description:"Others"}')).toEqual({ modules: [] })
  expect(await askSubgraph(`query get_module { module(id: "${portal}") { id } }`)).toEqual({ module: null })
  expect(await askSubgraph('query get_module_Counter { counters { modules } }')).toEqual({
    counters: [{ modules: 1 }],
  })
  expect(await askSubgraph('query get_portal_Counter { counters { portals } }')).toEqual({
    counters: [{ portals: 1 }],
  })
  expect(await askSubgraph('query get_attestation_Counter { counters { attestations } }')).toEqual({
    counters: [{ attestations: 7 }],
  })
})

test('a schema with a parent has the fields of its parent first, wherever it is answered', async () => {
  const data = [
    { name: 'isHuman', type: 'bool' },
    { name: 'provider', type: 'string' },
    { name: 'score', type: 'uint8' },
  ]
  expect(await get(`/scan/schemas/${id(childId)}`)).toMatchObject({ data })
  const decodedData = [
    { name: 'isHuman', value: true },
    { name: 'provider', value: 'their parent' },
    { name: 'score', value: '7' },
  ]
  const found = { total: 1, rows: [{ attestationId: localId(7), decodedData }] }
  for (const field of ['field[provider]=their parent', 'field[score]=7']) {
    const path = `/scan/attestations?schemaId=${id(childId)}&include=decoded&${field}`
    expect(await get(path)).toMatchObject(found)
  }
  const exported = await (await fetch(`${url}/scan/export/schemas.ndjson?protocol=verax`)).text()
  const lines = exported.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ schemaId: childId, data }),
  )
  expect(await askSubgraph(`{ attestation(id: "${localId(7)}") { decodedData schema { schema } } }`)).toEqual(
    {
      attestation: { decodedData: ['true', 'their parent', '0x7'], schema: { schema: childText } },
    },
  )
})

test('version and subject are those of the record, also once the attestation is revoked', async () => {
  const selection =
    '{ version subject encodedSubject auditInformation { creation { blockNumber transactionHash } modifications { id } } }'
  const { first, last, revoked } = await askSubgraph(`{
    first: attestation(id: "${localId(4)}") ${selection}
    last: attestation(id: "${localId(7)}") ${selection}
    revoked: attestation(id: "${localId(2)}") { version auditInformation { lastModification { transactionHash } } }
  }`)
  const address = subject.toLowerCase()
  const padded = `0x${'0'.repeat(24)}${address.slice(2)}`
  const { transactionHash } = await get(`/scan/attestations/${id(localId(7))}`)
  expect(first).toMatchObject({ version: '0', subject: address, encodedSubject: address })
  expect(last).toEqual({
    version: '1',
    subject: address,
    encodedSubject: padded,
    auditInformation: {
      creation: { blockNumber: expect.stringMatching(/^\d+$/) as string, transactionHash },
      modifications: [{ id: transactionHash }],
    },
  })
  const { revokeTransactionHash } = await get(`/scan/attestations/${id(localId(2))}`)
  expect(revoked).toMatchObject({
    auditInformation: { lastModification: { transactionHash: revokeTransactionHash } },
  })
  const ids = async (where: string) =>
    ((await askSubgraph(`{ attestations(where: ${where}) { id } }`))['attestations'] as { id: string }[]).map(
      (row) => row.id,
    )
  expect(await ids('{ version: "1" }')).toEqual([localId(7)])
  expect(await ids(`{ encodedSubject: "${padded}" }`)).toEqual([localId(7)])
  expect(await ids(`{ encodedSubject_contains: "${address}", version_lt: 1 }`)).toEqual(
    [1, 2, 4, 5, 6].map(localId),
  )
  const { portals, modules } = await askSubgraph(
    '{ portals { auditInformation { creation { transactionHash } } } modules { auditInformation { id } } }',
  )
  expect(portals).toMatchObject([
    { auditInformation: { creation: { transactionHash: expect.stringMatching(/^0x/) as string } } },
  ])
  expect(modules).toEqual([{ auditInformation: { id: moduleAddress } }])
})

test('its records are proved from the receipts of their blocks', async () => {
  for (const path of [
    `/scan/schemas/${id(schemaId)}/proof`,
    `/scan/attestations/${id(localId(4))}/proof`,
    `/scan/attestations/${id(localId(1))}/proof?event=revocation`,
  ]) {
    const parsed = parseProof(JSON.stringify(await get(path)))
    expect(parsed.kind === 'proof' ? await checkProof(parsed.proof) : parsed).toEqual({ kind: 'valid' })
  }
})

test('the verification finds no difference to the chain', async () => {
  attestry.child.kill('SIGTERM')
  await attestry.waitForExit()
  const { code, stdout } = await runHere(['verify', '--all'], folder)
  expect(stdout).not.toContain('"type":"difference"')
  expect(code).toBe(0)
})

/**
 * Registers `bool like` at EAS and the text of the same id at Verax, and attests once under the one and twice under the
 * other.
 * @returns the uid of the attestation of EAS.
 */
async function shareSchemaId(
  send: (transaction: DevTransaction) => ReturnType<typeof mineTransactions>,
  verax: { readonly schemaRegistry: Address; readonly portal: Address },
): Promise<string> {
  const register = { abi: easAbi, functionName: 'register', args: ['bool like', zeroAddress, true] } as const
  await send({ from: issuer, to: easRegistry, data: encodeFunctionData(register) })
  const data = encodeAbiParameters([{ type: 'bool' }], [true])
  const request = {
    recipient: subject,
    expirationTime: 0n,
    revocable: true,
    refUID: zeroHash,
    data,
    value: 0n,
  }
  const attest = [{ schema: sharedId, data: [request] }]
  const [attested] = await send({
    from: issuer,
    to: easAddress,
    data: encodeFunctionData({ abi: easAbi, functionName: 'multiAttest', args: [attest] }),
  })
  const create = ['Also like', 'Of Verax', 'https://schema.org/LikeAction', sharedText] as const
  await send({
    from: issuer,
    to: verax.schemaRegistry,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'createSchema', args: create }),
  })
  const payload = (attestationData: Hex) =>
    ({ schemaId: sharedId, expirationDate: 0n, subject, attestationData }) as const
  const payloads = [payload(stringToHex('like')), payload(encodeAbiParameters([{ type: 'bool' }], [false]))]
  await send({
    from: issuer,
    to: verax.portal,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'bulkAttest', args: [payloads, [[], []]] }),
  })
  const [event] = parseEventLogs({ abi: easAbi, logs: attested?.logs ?? [], eventName: 'Attested' })
  return event?.args.uid ?? ''
}

/** Registers a schema with a parent, and attests under it. */
async function extendSchema(
  send: (transaction: DevTransaction) => ReturnType<typeof mineTransactions>,
  verax: {
    readonly attestationRegistry: Address
    readonly schemaRegistry: Address
    readonly portal: Address
  },
): Promise<void> {
  const create = ['Scored human', 'A human with a score', 'https://schema.org/Person', childText] as const
  await send({
    from: issuer,
    to: verax.schemaRegistry,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'createSchema', args: create }),
  })
  // The registry has version 0 until its owner counts it up.
  const increment = encodeFunctionData({ abi: parseAbi(['function incrementVersionNumber()']) })
  await send({ from: owner, to: verax.attestationRegistry, data: increment })
  const payload = {
    schemaId: childId,
    expirationDate: 0n,
    subject: encodeAbiParameters([{ type: 'address' }], [subject]),
    attestationData: childData,
  }
  await send({
    from: issuer,
    to: verax.portal,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'bulkAttest', args: [[payload], [[]]] }),
  })
}

/** The data of a document. The request holds only the text of the query, like those of the SDK. */
async function askSubgraph(query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/verax/${chainId}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown }
  expect(errors).toBeUndefined()
  return data
}

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(url + path)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}

/** Registers a module that lets everybody attest, and answers its address. */
async function registerModule(client: DevClient, moduleRegistry: Address): Promise<string> {
  const path = '@verax-attestation-registry/verax-contracts/build/CorrectModuleV2.json'
  const address = await deployContract(client, issuer, await readContractCode(path))
  const data = encodeFunctionData({
    abi: parseAbi(['function register(string name, string description, address moduleAddress)']),
    functionName: 'register',
    args: ['Anybody', 'Refuses nobody', address],
  })
  await mineTransactions(client, [{ from: issuer, to: moduleRegistry, data }])
  return address.toLowerCase()
}
