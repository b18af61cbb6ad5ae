import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
  type Address,
  type Hex,
} from 'viem'
import contracts from '@attestry/demo/contracts/eas.json' with { type: 'json' }
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { easAbi } from '@attestry/demo/easAbi.ts'
import { createDevClient, deployContract, mineTransactions, type DevClient } from '@attestry/demo/devChain.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'

/** An attestation in the form of easscan, made of what was sent to the contracts. */
export interface ExpectedAttestation {
  readonly id: string
  readonly data: string
  readonly decodedDataJson: string
  readonly recipient: string
  readonly attester: string
  readonly time: number
  readonly timeCreated: number
  readonly expirationTime: number
  readonly revocationTime: number
  readonly refUID: string
  readonly revocable: boolean
  readonly revoked: boolean
  readonly txid: string
  readonly schemaId: string
  readonly ipfsHash: ''
  readonly isOffchain: false
}

export interface ExpectedSchema {
  readonly id: string
  readonly schema: string
  readonly creator: string
  readonly resolver: string
  readonly revocable: boolean
  readonly index: string
  readonly txid: string
  readonly time: number
}

/** Real EAS contracts on a local chain, with attestations, indexed and served by the program. */
export interface EasWorld {
  readonly url: string
  readonly chainId: number
  /** Newest first, as on easscan. */
  readonly attestations: readonly ExpectedAttestation[]
  /** In the order of registration: `review`, `amount`, `empty` and the schema that names schemas. */
  readonly schemas: readonly ExpectedSchema[]
  readonly accounts: readonly string[]
  /** The transactions that timestamped, and revoked off chain, the ids of the first two schemas. */
  readonly anchors: Readonly<Record<string, { readonly txid: string; readonly timestamp: number }>>
  query(
    document: string,
    variables?: object,
  ): Promise<{ readonly data: never; readonly errors?: readonly { readonly message: string }[] }>
  close(): Promise<void>
}

/** Of `Attested` and, in both forms, `Registered`. */
const attestedTopic = '0x8bf46bf4cfd674fa735a3d63ec1c9ad4153f033c290341f3a588b75685141b35'

export const reviewText = 'string country,uint8 level, bytes32 round,bool isGood'
const amountText = 'uint256 amount,address who'
export const nameText = 'bytes32 schemaId,string name'

const chainId = 31_337
const genesisTimeS = 1_750_000_000
const accounts = [1, 2, 3, 4, 5].map((index) => demoAccount(index).address)

/** How many attestations there are under `review`. */
const reviewCount = 60

export async function createEasWorld(): Promise<EasWorld> {
  const cleanups: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  const folder = mkdtempSync(join(tmpdir(), 'attestry-eas-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const anvil = await startAnvil({ chainId, manualMining: true, genesisTimeS })
  cleanups.push(() => anvil.stop())
  const client = createDevClient(anvil.url)
  const made = await makeHistory(client)
  writeFileSync(
    join(folder, 'attestry.yaml'),
    [
      'database: sqlite:index.db',
      'server: { port: 0, workers: 1, explorer: false, easLimits: { rootFields: 27 } }',
      'chains:',
      `  - chainId: ${chainId}`,
      `    rpc: ["${anvil.url}"]`,
      '    pollIntervalMs: 20',
      '    contracts:',
      `      - { protocol: eas, address: "${made.eas}", schemaRegistry: "${made.registry}", startBlock: 0 }`,
    ].join('\n'),
  )
  const attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  const line = await attestry.waitForLine(/"msg":"serving"/)
  const { url } = JSON.parse(line) as { url: string }
  const query: EasWorld['query'] = async (document, variables = {}) => {
    const response = await fetch(`${url}/eas/${chainId}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: document, variables }),
    })
    return (await response.json()) as never
  }
  const { attestations, schemas, anchors } = made
  return { url, chainId, attestations, schemas, anchors, accounts, query, close }
}

interface Sent {
  readonly schema: number
  readonly values: readonly unknown[]
  readonly decodedDataJson: string
  readonly data: Hex
  readonly attester: Address
  readonly recipient: Address
  readonly expirationTime: bigint
  readonly revocable: boolean
  readonly refUID: Hex
}

async function makeHistory(client: DevClient) {
  const [owner = zeroAddress] = accounts
  const registry = await deployContract(client, owner, contracts.schemaRegistry as Hex)
  const deployed = encodeDeployData({ abi: easAbi, bytecode: contracts.eas as Hex, args: [registry] })
  const eas = await deployContract(client, owner, deployed)

  let time = genesisTimeS + 1_000
  const nextTime = () => (time += 12)
  const schemas: ExpectedSchema[] = []
  for (const [index, schema] of [reviewText, amountText, '', nameText, 'string json'].entries()) {
    const from = accounts[index % 2] ?? owner
    const data = encodeFunctionData({
      abi: easAbi,
      functionName: 'register',
      args: [schema, zeroAddress, true],
    })
    const [receipt] = await mineTransactions(client, [{ from, to: registry, data }], nextTime())
    if (receipt === undefined) throw new Error('no receipt')
    const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
    schemas.push({
      id: receipt.logs[0]?.topics[1] ?? '',
      schema,
      creator: getAddress(from),
      resolver: zeroAddress,
      revocable: true,
      index: String(index + 1),
      txid: receipt.transactionHash,
      time: Number(timestamp),
    })
  }

  const attestations: ExpectedAttestation[] = []
  /** Sends each group as one transaction, all in one block. */
  const attest = async (groups: readonly (readonly Sent[])[]): Promise<void> => {
    const transactions = groups.map((group) => ({
      from: group[0]?.attester ?? owner,
      to: eas,
      data: encodeFunctionData({
        abi: easAbi,
        functionName: 'multiAttest',
        args: [
          group.map(({ schema, recipient, expirationTime, revocable, refUID, data }) => ({
            schema: schemas[schema]?.id as Hex,
            data: [{ recipient, expirationTime, revocable, refUID, data, value: 0n }],
          })),
        ],
      }),
    }))
    const receipts = await mineTransactions(client, transactions, nextTime())
    for (const [index, receipt] of receipts.entries()) {
      const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
      const uids = receipt.logs.filter(({ topics }) => topics[0] === attestedTopic).map(({ data }) => data)
      for (const [at, sent] of (groups[index] ?? []).entries()) {
        attestations.push({
          id: uids[at] ?? '',
          data: sent.data,
          decodedDataJson: sent.decodedDataJson,
          recipient: sent.recipient,
          attester: sent.attester,
          time: Number(timestamp),
          timeCreated: Number(timestamp),
          expirationTime: Math.min(Number(sent.expirationTime), 2 ** 31 - 1),
          revocationTime: 0,
          refUID: sent.refUID,
          revocable: sent.revocable,
          revoked: false,
          txid: receipt.transactionHash,
          schemaId: schemas[sent.schema]?.id ?? '',
          ipfsHash: '',
          isOffchain: false,
        })
      }
    }
  }

  const reviews = Array.from({ length: reviewCount }, (_, index) => review(index))
  for (let start = 0; start < reviews.length; start += 12) {
    const block = reviews.slice(start, start + 12)
    const attesters = [...new Set(block.map(({ attester }) => attester))]
    await attest(attesters.map((attester) => block.filter((sent) => sent.attester === attester)))
  }
  const [first] = attestations
  await attest([
    Array.from({ length: 6 }, (_, index) => amount(index, (first?.id ?? zeroHash) as Hex)),
    [
      {
        ...amount(9, zeroHash),
        schema: 2,
        data: '0x',
        decodedDataJson: '[]',
        attester: accounts[1] ?? owner,
      },
    ],
  ])
  const slugs = ['first', 'second', '100%_"q"']
  await attest([slugs.map((slug) => details(slug, (first?.id ?? zeroHash) as Hex))])
  await attest([
    [named(schemas[0]?.id ?? '', 'Review', accounts[0] ?? owner)],
    [named(schemas[1]?.id ?? '', 'Not mine', accounts[0] ?? owner)],
  ])

  for (const [index, record] of attestations.entries()) {
    if (index % 7 !== 3 || !record.revocable) continue
    const args = [[{ schema: record.schemaId as Hex, data: [{ uid: record.id as Hex, value: 0n }] }]] as const
    const data = encodeFunctionData({ abi: easAbi, functionName: 'multiRevoke', args })
    const [receipt] = await mineTransactions(
      client,
      [{ from: record.attester as Address, to: eas, data }],
      nextTime(),
    )
    const { timestamp } = await client.getBlock({ blockNumber: receipt?.blockNumber ?? 0n })
    attestations[index] = { ...record, revoked: true, revocationTime: Number(timestamp) }
  }
  const values = [schemas[0]?.id as Hex, schemas[1]?.id as Hex]
  const anchors: Record<string, { readonly txid: string; readonly timestamp: number }> = {}
  for (const functionName of ['multiTimestamp', 'multiRevokeOffchain'] as const) {
    const data = encodeFunctionData({ abi: easAbi, functionName, args: [values] })
    const timestamp = nextTime()
    const [receipt] = await mineTransactions(client, [{ from: owner, to: eas, data }], timestamp)
    anchors[functionName] = { txid: receipt?.transactionHash ?? '', timestamp }
  }
  return { registry, eas, schemas, anchors, attestations: attestations.reverse() }
}

/** A field in the JSON of easscan. */
function field(type: string, name: string, value: unknown): object {
  return { name, type, signature: `${type} ${name}`, value: { name, type, value } }
}

function roundOf(index: number): Hex {
  return `0x${(index % 4).toString(16).padStart(64, 'a')}`
}

function review(index: number): Sent {
  const country = ['FR', 'UA', 'É "quoted" 100%'][index % 3] ?? ''
  const values = [country, index % 10, roundOf(index), index % 2 === 0] as const
  return {
    schema: 0,
    values,
    data: encodeAbiParameters(parseAbiParameters('string,uint8,bytes32,bool'), values),
    decodedDataJson: JSON.stringify([
      field('string', 'country', values[0]),
      field('uint8', 'level', values[1]),
      field('bytes32', 'round', values[2]),
      field('bool', 'isGood', values[3]),
    ]),
    attester: accounts[index % 3] ?? zeroAddress,
    recipient: index % 5 === 4 ? zeroAddress : (accounts[index % 4] ?? zeroAddress),
    expirationTime: index % 6 === 0 ? 1_900_000_000n : index % 6 === 1 ? 9_999_999_999n : 0n,
    revocable: index % 8 !== 5,
    refUID: zeroHash,
  }
}

function amount(index: number, refUID: Hex): Sent {
  const values = [10n ** BigInt(index * 5), accounts[index % 5] ?? zeroAddress] as const
  const digits = values[0].toString(16)
  const hex = `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
  return {
    schema: 1,
    values,
    data: encodeAbiParameters(parseAbiParameters(amountText), values),
    decodedDataJson: JSON.stringify([
      field('uint256', 'amount', { type: 'BigNumber', hex }),
      field('address', 'who', values[1]),
    ]),
    attester: accounts[2] ?? zeroAddress,
    recipient: accounts[3] ?? zeroAddress,
    expirationTime: 0n,
    revocable: true,
    refUID,
  }
}

/** A payload that holds JSON. */
function details(slug: string, refUID: Hex): Sent {
  const values = [JSON.stringify({ name: `The ${slug}`, slug })] as const
  return {
    schema: 4,
    values,
    data: encodeAbiParameters(parseAbiParameters('string'), values),
    decodedDataJson: JSON.stringify([field('string', 'json', values[0])]),
    attester: accounts[0] ?? zeroAddress,
    recipient: accounts[1] ?? zeroAddress,
    expirationTime: 0n,
    revocable: true,
    refUID,
  }
}

function named(schemaId: string, name: string, attester: Address): Sent {
  const values = [schemaId as Hex, name] as const
  return {
    schema: 3,
    values,
    data: encodeAbiParameters(parseAbiParameters(nameText), values),
    decodedDataJson: JSON.stringify([field('bytes32', 'schemaId', schemaId), field('string', 'name', name)]),
    attester,
    recipient: zeroAddress,
    expirationTime: 0n,
    revocable: true,
    refUID: zeroHash,
  }
}
