import { encodeAbiParameters, encodeDeployData, encodeFunctionData, parseAbiParameters, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import contracts from '@attestry/demo/contracts/eas.json' with { type: 'json' }
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { easAbi } from '@attestry/demo/easAbi.ts'
import { createDevClient, type DevClient, deployContract, mineTransactions } from '@attestry/demo/devChain.ts'
import { type Anvil, startAnvil } from '@attestry/demo/startAnvil.ts'
import { readContractCode } from '@attestry/test/sdks/contractCode.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import { type Address, zeroAddress, zeroHash } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog, Deployment, ReadResult } from '../protocolAdapter.ts'
import { hash, hex, lowerAddress } from '../testing/parsedHex.ts'
import { nameSchemaUid } from './easAbi.ts'
import { easAdapter } from './easAdapter.ts'

// The strict decoders rely on canonical logs and return values from Solidity. These tests check that with the real
// contracts, in both versions, whose registries' events differ.

const account = demoAccount(1).address
const texts = ['', 'bool like', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33), 'é😀\0'.repeat(40)]
const payloads = [0, 1, 20, 31, 32, 33, 64, 500].map((size) => toHex(new Uint8Array(size).fill(0xff)))

let anvil: Anvil
let client: DevClient
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337, manualMining: true })
  client = createDevClient(anvil.url)
})
afterAll(() => anvil?.stop())

describe.each([
  ['of today', () => [contracts.eas, contracts.schemaRegistry]],
  ['of Ethereum', () => Promise.all(['EAS', 'SchemaRegistry'].map(readEthereumCode))],
])('the contracts %s', (_, readCodes) => {
  test('make logs and answers that are all read, whatever the lengths in them', async () => {
    const [easCode = '', registryCode = ''] = await readCodes()
    const registry = await deployContract(client, account, hex(registryCode))
    const eas = await deployContract(
      client,
      account,
      hex(encodeDeployData({ abi: easAbi, bytecode: hex(easCode), args: [registry] })),
    )
    const deployment: Deployment = {
      protocol: 'eas',
      chainId: anvil.chainId,
      address: lowerAddress(eas),
      schemaRegistry: lowerAddress(registry),
      startBlock: 0,
    }
    const send = async (to: Address, data: `0x${string}`): Promise<readonly DomainEvent[]> => {
      const [receipt] = await mineTransactions(client, [{ from: account, to, data }])
      if (receipt === undefined) throw new Error('no receipt')
      return readEvents(deployment, receipt)
    }
    const toRegistry = lowerAddress(registry)
    const toEas = lowerAddress(eas)

    const schemas: DomainEvent[] = []
    for (const schema of [...texts, 'bytes32 schemaId,string name']) {
      const args = [schema, zeroAddress, true] as const
      schemas.push(
        ...(await send(toRegistry, encodeFunctionData({ abi: easAbi, functionName: 'register', args }))),
      )
    }
    expect(
      schemas.map((event) => (event.kind === 'schemaRegistered' ? event.schema.rawText : event)),
    ).toEqual([...texts, 'bytes32 schemaId,string name'])
    const uids = schemas.map((event) =>
      event.kind === 'schemaRegistered' ? hash(event.schema.key.localId) : zeroHash,
    )
    expect(uids.at(-1)).toBe(nameSchemaUid)
    const schemaUid = uids[1] ?? zeroHash

    const request = { expirationTime: 0n, revocable: true, refUID: zeroHash, value: 0n }
    const naming = encodeAbiParameters(parseAbiParameters('bytes32, string'), [schemaUid, 'Like'])
    const made = await send(
      toEas,
      encodeFunctionData({
        abi: easAbi,
        functionName: 'multiAttest',
        args: [
          [
            {
              schema: schemaUid,
              data: payloads.map((data, index) => ({
                ...request,
                recipient: index % 2 === 0 ? account : zeroAddress,
                data,
              })),
            },
            { schema: nameSchemaUid, data: [{ ...request, recipient: zeroAddress, data: naming }] },
          ],
        ],
      }),
    )
    const attestations = made.flatMap((event) =>
      event.kind === 'attestationMade' ? [event.attestation] : [],
    )
    expect(attestations.map(({ data, recipients, attester }) => [data, recipients.length, attester])).toEqual(
      [
        ...payloads.map((data, index) => [data, index % 2 === 0 ? 1 : 0, account.toLowerCase()]),
        [naming, 0, account.toLowerCase()],
      ],
    )
    expect(made.at(-1)).toMatchObject({ kind: 'schemaNamed', schemaLocalId: schemaUid, name: 'Like' })
    expect(made).toHaveLength(payloads.length + 2)

    const revocations = attestations.slice(0, -1).map(({ key }) => ({ uid: hash(key.localId), value: 0n }))
    const revoked = await send(
      toEas,
      encodeFunctionData({
        abi: easAbi,
        functionName: 'multiRevoke',
        args: [[{ schema: schemaUid, data: revocations }]],
      }),
    )
    expect(revoked.map((event) => (event.kind === 'attestationRevoked' ? event.localId : event))).toEqual(
      revocations.map(({ uid }) => uid),
    )
    const anchors = [
      ...(await send(
        toEas,
        encodeFunctionData({ abi: easAbi, functionName: 'multiTimestamp', args: [uids] }),
      )),
      ...(await send(
        toEas,
        encodeFunctionData({ abi: easAbi, functionName: 'multiRevokeOffchain', args: [uids] }),
      )),
    ]
    expect(
      anchors.map((event) => (event.kind === 'anchorMade' ? [event.anchor, event.account] : event)),
    ).toEqual([
      ...uids.map(() => ['Timestamped', null]),
      ...uids.map(() => ['RevokedOffchain', account.toLowerCase()]),
    ])
  })
})

interface MinedReceipt {
  readonly blockNumber: bigint
  readonly logs: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
    readonly transactionHash: string
    readonly blockHash: string
    readonly logIndex: number
  }[]
}

async function readEvents(deployment: Deployment, receipt: MinedReceipt): Promise<readonly DomainEvent[]> {
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
  const blockNumber = Number(receipt.blockNumber)
  const events: DomainEvent[] = []
  for (const raw of receipt.logs) {
    const log: ChainLog = {
      address: lowerAddress(raw.address),
      topics: raw.topics.map(hex),
      data: hex(raw.data),
      blockNumber,
      blockHash: hash(raw.blockHash),
      blockTimestamp: unixSeconds(Number(timestamp)),
      transactionHash: hash(raw.transactionHash),
      position: eventPosition(blockNumber, raw.logIndex),
    }
    const read = easAdapter.planRead(deployment, log)
    const result: ReadResult | null =
      read === null
        ? null
        : {
            kind: 'returned',
            data: hex((await client.call({ to: read.to, data: read.data })).data ?? '0x'),
          }
    const outcome = easAdapter.decodeLog(deployment, log, result, {
      headTimestamp: log.blockTimestamp,
      transactionSender: null,
      transactionLogs: [],
    })
    if (outcome.kind === 'staleRead') throw new Error(outcome.reason)
    const times = outcome.events.map((event) =>
      event.kind === 'attestationMade' ? event.attestation.attestTimestamp : log.blockTimestamp,
    )
    expect(new Set(times)).toEqual(new Set([log.blockTimestamp]))
    events.push(...outcome.events)
  }
  return events
}

function readEthereumCode(contract: string): Promise<string> {
  return readContractCode(`@ethereum-attestation-service/eas-contracts/deployments/mainnet/${contract}.json`)
}
