import {
  encodeFunctionData,
  encodePacked,
  keccak256,
  parseAbi,
  parseEventLogs,
  stringToHex,
  zeroAddress,
  type Address as ViemAddress,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { deployVerax, veraxAbi, veraxContracts, type VeraxContracts } from '@attestry/demo/deployVerax.ts'
import {
  createDevClient,
  type DevClient,
  type DevTransaction,
  mineTransactions,
} from '@attestry/demo/devChain.ts'
import { type Anvil, startAnvil } from '@attestry/demo/startAnvil.ts'
import { formatCompositeId, type LocalId } from '../../model/compositeId.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import { type Address, type Hex, noBytes, zeroHash } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, ContractRead, Deployment, ReadResult } from '../protocolAdapter.ts'
import { hash, hex, lowerAddress } from '../testing/parsedHex.ts'
import { notAttestedSelector } from './veraxAbi.ts'
import { veraxAdapter } from './veraxAdapter.ts'
import { veraxCounters } from './veraxCounters.ts'

// The strict decoders rely on canonical logs and return values from Solidity. These tests check that with the real
// contracts of v9.

const owner = demoAccount(0).address
const issuer = demoAccount(1).address
const chainPrefix = 1n << 240n
const subjects = [
  issuer,
  `0x${issuer.slice(2).toLowerCase().padStart(64, '0')}`,
  stringToHex('did:key:z6Mk'),
  `0x${'8f'.repeat(33)}`,
] as const

let anvil: Anvil
let client: DevClient
let contracts: VeraxContracts
let deployment: Deployment
let portal: ViemAddress
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337, manualMining: true })
  client = createDevClient(anvil.url)
  contracts = await deployVerax(client, { from: owner, nonce: 0, chainPrefix })
  deployment = {
    protocol: 'verax',
    chainId: anvil.chainId,
    address: lowerAddress(contracts.attestationRegistry),
    schemaRegistry: lowerAddress(contracts.schemaRegistry),
    portalRegistry: lowerAddress(contracts.portalRegistry),
    startBlock: 0,
  }
  const args = [[], 'Portal', 'A portal', true, 'Issuer'] as const
  const [receipt] = await mine({
    from: issuer,
    to: contracts.portalRegistry,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'deployDefaultPortal', args }),
  })
  const [registered] = parseEventLogs({
    abi: veraxAbi,
    logs: receipt?.logs ?? [],
    eventName: 'PortalRegistered',
  })
  if (registered === undefined) throw new Error('no portal')
  portal = registered.args.portal
})
afterAll(() => anvil?.stop())

test('the addresses of the contracts follow from the deployer', () => {
  expect(contracts).toEqual(veraxContracts({ from: owner, nonce: 0 }))
})

test('schemas are read only from their event, with the sender of the transaction as registrant', async () => {
  const texts = ['(bool isHuman, uint8 score)', 'isHuman bool', 'no schema at all', 'é😀\0'.repeat(40)]
  for (const text of texts) {
    const args = ['Human', 'Who is one', 'https://schema.org/Person', text] as const
    const data = encodeFunctionData({ abi: veraxAbi, functionName: 'createSchema', args })
    const [event] = await send({ from: issuer, to: contracts.schemaRegistry, data })
    if (event?.kind !== 'schemaRegistered') throw new Error(`${event?.kind} is no schema`)
    expect(event.schema).toMatchObject({
      key: { chainId: 31337, localId: keccak256(stringToHex(text)) },
      protocol: 'verax',
      registrant: issuer.toLowerCase(),
      rawText: text,
      definition: { name: 'Human', description: 'Who is one' },
    })
    expect(event.schema.definition.fields).toHaveLength([2, 1, 0, 0][texts.indexOf(text)] ?? -1)
  }
})

test('portals are named by their log, their owners by the registry, which forgets the revoked ones', async () => {
  const args = [[], 'Café', 'A portal', false, 'Owner 😀'] as const
  const [receipt] = await mine({
    from: issuer,
    to: contracts.portalRegistry,
    data: encodeFunctionData({ abi: veraxAbi, functionName: 'deployDefaultPortal', args }),
  })
  if (receipt === undefined) throw new Error('no receipt')
  const logs = await chainLogs([receipt])
  const [log] = logs
  const read = log === undefined ? null : veraxAdapter.planRead(deployment, log)
  if (log === undefined || read === null) throw new Error('no read')
  const decode = (result: ReadResult | null) =>
    veraxAdapter.decodeLog(deployment, log, result, context(logs, log))
  const known = decode(await fetchRead(read))
  expect(known).toMatchObject({ kind: 'events', events: [{ kind: 'metadataSet', of: 'portal' }] })
  const body = known.kind === 'events' && known.events[0]?.kind === 'metadataSet' ? known.events[0].body : ''
  const names = { name: 'Café', description: 'A portal' }
  const { blockNumber, blockTimestamp: timestamp, transactionHash } = log
  const registration = { blockNumber, timestamp, transactionHash }
  expect(JSON.parse(body)).toEqual({
    ...names,
    owner: issuer.toLowerCase(),
    ownerName: 'Owner 😀',
    isRevocable: false,
    modules: [],
    registration,
  })

  const [made] = parseEventLogs({ abi: veraxAbi, logs: receipt.logs, eventName: 'PortalRegistered' })
  const revoked = encodeFunctionData({
    abi: parseAbi(['function revoke(address id)']),
    functionName: 'revoke',
    args: [made?.args.portal ?? owner],
  })
  await mine({ from: owner, to: contracts.portalRegistry, data: revoked })
  const forgotten = decode(await fetchRead(read))
  expect(forgotten).toMatchObject({
    kind: 'staleRead',
    otherwise: [
      {
        body: JSON.stringify({
          ...names,
          owner: null,
          ownerName: '',
          isRevocable: null,
          modules: null,
          registration,
        }),
      },
    ],
  })
})

test('the new context of a schema is read from the registry', async () => {
  const update = async (context: string) => {
    const args = [keccak256(stringToHex('isHuman bool')), context] as const
    const data = encodeFunctionData({ abi: veraxAbi, functionName: 'updateContext', args })
    return send({ from: issuer, to: contracts.schemaRegistry, data })
  }
  for (const context of ['', 'https://schema.org/Thing', 'é😀'.repeat(40)]) {
    expect(await update(context)).toMatchObject([
      {
        kind: 'metadataSet',
        of: 'schemaContext',
        subject: keccak256(stringToHex('isHuman bool')),
        body: context,
      },
    ])
  }
})

test('the text of a schema can give it the id of a schema of EAS, which is the hash of text, resolver and revocability', async () => {
  const uid = keccak256(encodePacked(['string', 'address', 'bool'], ['bool like', zeroAddress, true]))
  const args = ['Like', '', '', `bool like${'\0'.repeat(20)}\u0001`] as const
  const data = encodeFunctionData({ abi: veraxAbi, functionName: 'createSchema', args })
  const [event] = await send({ from: issuer, to: contracts.schemaRegistry, data })
  expect(event).toMatchObject({ schema: { protocol: 'verax', key: { localId: uid } } })
  expect(uid).toBe('0x33e9094830a5cba5554d1954310e4fbed2ef5f859ec1404619adea4207f391fd')
})

test('attestations, replacements and revocations are read, whatever the lengths in them', async () => {
  const made = await send(
    call('bulkAttest', [subjects.map((subject, n) => payload(subject, 1 + n * 31)), subjects.map(() => [])]),
  )
  const attestations = made.flatMap((event) => (event.kind === 'attestationMade' ? [event.attestation] : []))
  expect(attestations.map(({ key }) => key.localId)).toEqual([1, 2, 3, 4].map(idOf))
  expect(attestations.map(({ recipients }) => recipients)).toEqual([
    [{ kind: 'address', address: issuer.toLowerCase() }],
    [{ kind: 'address', address: issuer.toLowerCase() }],
    [{ kind: 'text', text: 'did:key:z6Mk' }],
    [{ kind: 'bytes', bytes: subjects[3] }],
  ])
  expect(attestations.map(({ data }) => (data.length - 2) / 2)).toEqual([1, 32, 63, 94])
  for (const { attester, validUntil, linkedAttestation } of attestations) {
    expect([attester, validUntil, linkedAttestation]).toEqual([issuer.toLowerCase(), 7n, null])
  }

  const replaced = await send(
    call('bulkReplace', [
      [idOf(1), idOf(2)],
      [payload(issuer, 5), payload(issuer, 6)],
      [[], []],
    ]),
  )
  expect(replaced.map(summarise)).toEqual([
    ['attestationMade', idOf(5), idOf(1)],
    ['attestationRevoked', idOf(1), `replaced by ${composite(5)}`],
    ['attestationMade', idOf(6), idOf(2)],
    ['attestationRevoked', idOf(2), `replaced by ${composite(6)}`],
  ])

  const revoked = await send(call('bulkRevoke', [[idOf(3), idOf(4)]]))
  expect(revoked.map(summarise)).toEqual([
    ['attestationRevoked', idOf(3), ''],
    ['attestationRevoked', idOf(4), ''],
  ])
  const read = await fetchRead(veraxCounters.planRecord(deployment, 'attestation', idOf(3)))
  const revocation = revoked[0]
  expect(veraxAdapter.readRevocation(read)).toEqual({
    revoked: true,
    timestamp: BigInt(revocation?.kind === 'attestationRevoked' ? revocation.timestamp : 0),
  })
})

test('an import may have an empty subject, no data and a schema that nobody registered', async () => {
  const empty = { schemaId: zeroHash, expirationDate: 0n, subject: '0x', attestationData: '0x' } as const
  const args = [[empty], portal] as const
  const data = encodeFunctionData({ abi: veraxAbi, functionName: 'massImport', args })
  const [event] = await send({ from: owner, to: contracts.attestationRegistry, data })
  if (event?.kind !== 'attestationMade') throw new Error(`${event?.kind} is no attestation`)
  expect(event.attestation).toMatchObject({
    key: { localId: idOf(7) },
    schemaLocalId: zeroHash,
    attester: owner.toLowerCase(),
    recipients: [],
    data: noBytes,
    validUntil: 0n,
  })
})

test('the counter and the prefix of the registry tell the next id, which no record has yet', async () => {
  const results = await Promise.all(veraxCounters.planNext(deployment, 'attestation').map(fetchRead))
  const next = veraxCounters.decodeNext(results)
  expect(next).toBe(idOf(8))
  expect(veraxCounters.numberOf(idOf(8))).toBe(8n)
  expect(veraxCounters.idAt(7n, idOf(8))).toBe(idOf(7))
  const [last, unknown] = await Promise.all(
    [7, 8].map((number) => fetchRead(veraxCounters.planRecord(deployment, 'attestation', idOf(number)))),
  )
  if (last === undefined || unknown === undefined) throw new Error('no reads')
  expect(unknown).toEqual({ kind: 'reverted', data: notAttestedSelector })
  expect(veraxCounters.decodeRecordTime('attestation', unknown)).toBeNull()
  const { timestamp } = await client.getBlock()
  expect(veraxCounters.decodeRecordTime('attestation', last)).toBe(Number(timestamp))
})

test('a node that does not know an attestation yet is stale', async () => {
  const receipts = await mine(call('attest', [payload(issuer, 1), []]))
  const [log] = await chainLogs(receipts)
  if (log === undefined) throw new Error('no log')
  const results: readonly [ReadResult | null, string][] = [
    [null, 'staleRead'],
    [{ kind: 'returned', data: noBytes }, 'staleRead'],
    [{ kind: 'reverted', data: notAttestedSelector }, 'staleRead'],
    [{ kind: 'reverted', data: '0x12345678' as Hex }, 'undecodableLog'],
    [await fetchRead(veraxCounters.planRecord(deployment, 'attestation', idOf(1))), 'undecodableLog'],
  ]
  for (const [result, kind] of results) {
    const outcome = veraxAdapter.decodeLog(deployment, log, result, context([log], log))
    const kinds = outcome.kind === 'events' ? outcome.events.map((event) => event.kind) : [outcome.kind]
    expect(kinds).toEqual([kind])
  }
})

function idOf(number: number): LocalId {
  return `0x${(chainPrefix + BigInt(number)).toString(16).padStart(64, '0')}` as LocalId
}

function composite(number: number): string {
  return formatCompositeId({ chainId: 31337, localId: idOf(number) })
}

function payload(subject: `0x${string}`, size: number) {
  const schemaId = keccak256(stringToHex('(bool isHuman, uint8 score)'))
  return { schemaId, expirationDate: 7n, subject, attestationData: `0x${'ab'.repeat(size)}` } as const
}

function call(functionName: string, args: readonly unknown[]): DevTransaction {
  const encode = encodeFunctionData as (request: unknown) => `0x${string}`
  return { from: issuer, to: portal, data: encode({ abi: veraxAbi, functionName, args }) }
}

function summarise(event: DomainEvent): readonly unknown[] {
  if (event.kind === 'attestationRevoked') return [event.kind, event.localId, event.reason]
  if (event.kind !== 'attestationMade') return [event.kind]
  return [event.kind, event.attestation.key.localId, event.attestation.linkedAttestation]
}

function mine(transaction: DevTransaction) {
  return mineTransactions(client, [transaction])
}

/** The events of the logs of one transaction. */
async function send(transaction: DevTransaction): Promise<readonly DomainEvent[]> {
  const logs = await chainLogs(await mine(transaction))
  const events: DomainEvent[] = []
  for (const log of logs) {
    const read = veraxAdapter.planRead(deployment, log)
    const result = read === null ? null : await fetchRead(read)
    const outcome = veraxAdapter.decodeLog(
      deployment,
      log,
      result,
      context(logs, log, lowerAddress(transaction.from)),
    )
    if (outcome.kind === 'staleRead') throw new Error(outcome.reason)
    events.push(...outcome.events)
  }
  return events
}

function context(transactionLogs: readonly ChainLog[], log: ChainLog, sender: Address | null = null) {
  return { headTimestamp: log.blockTimestamp, transactionSender: sender, transactionLogs }
}

async function fetchRead({ to, data }: ContractRead): Promise<ReadResult> {
  try {
    const returned = await client.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })
    return { kind: 'returned', data: hex(returned) }
  } catch (error) {
    const { data: reverted } = (error as { cause: { data: string } }).cause
    return { kind: 'reverted', data: hex(reverted) }
  }
}

async function chainLogs(receipts: Awaited<ReturnType<typeof mine>>): Promise<ChainLog[]> {
  const { timestamp } = await client.getBlock()
  return receipts.flatMap(({ logs, blockNumber }) =>
    logs.map((raw) => ({
      address: lowerAddress(raw.address),
      topics: raw.topics.map(hex),
      data: hex(raw.data),
      blockNumber: Number(blockNumber),
      blockHash: hash(raw.blockHash),
      blockTimestamp: unixSeconds(Number(timestamp)),
      transactionHash: hash(raw.transactionHash),
      position: eventPosition(Number(blockNumber), raw.logIndex),
    })),
  )
}
