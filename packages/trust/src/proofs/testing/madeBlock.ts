import { createHash } from 'node:crypto'
import { toRlp } from 'viem/utils'
import { encodeAbiParameters, encodeEventTopics, parseAbi, type Hex as ViemHex } from 'viem'
import type { Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from '../hashBytes.ts'
import { encodeReceipt } from '../encodeReceipt.ts'
import { createReceiptTrie } from '../receiptTrie.ts'
import { makeBloom } from './makeBloom.ts'

/** A block and its receipts as JSON-RPC would tell of them, with hash and root in order. */
export interface MadeBlock {
  readonly block: Record<string, unknown>
  readonly receipts: readonly Record<string, unknown>[]
}

export interface MadeLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** How a receipt is to look: its type, and whether it names a state's root instead of an outcome. */
export interface ReceiptShape {
  readonly type: number
  readonly logs: readonly MadeLog[]
  readonly isOld?: boolean
  /** The members that only a deposit's receipt has. */
  readonly deposit?: 'nothing' | 'nonce' | 'nonceAndVersion'
}

const abi = parseAbi([
  'event AttestationMade(uint64 attestationId, string indexingKey)',
  'event AttestationRevoked(uint64 attestationId, string reason)',
])

/** A log of Sign Protocol. */
export function signLog(
  eventName: 'AttestationMade' | 'AttestationRevoked',
  address: string,
  id: bigint,
  text: string,
): MadeLog {
  const topics = encodeEventTopics({ abi, eventName }) as ViemHex[]
  return {
    address,
    topics,
    data: encodeAbiParameters([{ type: 'uint64' }, { type: 'string' }], [id, text]),
  }
}

/** @param forks how many of the members that forks have added the header has, 0 to 6. */
export async function makeBlock(
  number: number,
  shapes: readonly ReceiptShape[],
  forks: number,
): Promise<MadeBlock> {
  const receipts = shapes.map((shape, index) => receiptOf(shape, (index + 1) * 50_000))
  const encoded = receipts.map((receipt) => encodeReceipt(receipt)?.bytes)
  const { root } = await createReceiptTrie(encoded.filter((bytes) => bytes !== undefined))
  const block = makeHeader(number, root, forks)
  return { block, receipts }
}

/** A header whose hash covers the named members. The order is repeated here on purpose. */
export function makeHeader(
  number: number,
  receiptsRoot: string,
  forks: number,
  stateRoot: string = someHash('state'),
): Record<string, unknown> {
  const first = {
    parentHash: someHash('parent'),
    sha3Uncles: someHash('uncles'),
    miner: `0x${'ab'.repeat(20)}`,
    stateRoot,
    transactionsRoot: someHash('transactions'),
    receiptsRoot,
    logsBloom: `0x${'00'.repeat(256)}`,
    difficulty: '0x0',
    number: `0x${number.toString(16)}`,
    gasLimit: '0x1c9c380',
    gasUsed: '0xffff',
    timestamp: '0x684ee1bc',
    extraData: '0x1234',
    mixHash: someHash('mix'),
    nonce: '0x0000000000000000',
  }
  const later = {
    baseFeePerGas: '0x7',
    withdrawalsRoot: someHash('withdrawals'),
    blobGasUsed: '0x20000',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: someHash('beacon'),
    requestsHash: someHash('requests'),
  }
  const members = Object.fromEntries([...Object.entries(first), ...Object.entries(later).slice(0, forks)])
  return { ...members, hash: hashBytes(toRlp(Object.entries(members).map(rlpMember)) as Hex) }
}

function rlpMember([name, value]: [string, string]): ViemHex {
  const isNumber = /^(difficulty|number|gasLimit|gasUsed|timestamp|baseFeePerGas|blobGasUsed|excessBlobGas)$/
  if (!isNumber.test(name)) return value as ViemHex
  const digits = BigInt(value) === 0n ? '' : BigInt(value).toString(16)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

function receiptOf({ type, logs, isOld, deposit = 'nothing' }: ReceiptShape, gas: number) {
  return {
    type: `0x${type.toString(16)}`,
    ...(isOld === true ? { root: someHash('root') } : { status: '0x1' }),
    cumulativeGasUsed: `0x${gas.toString(16)}`,
    logsBloom: makeBloom(logs.flatMap(({ address, topics }) => [address, ...topics])),
    logs,
    from: `0x${'cd'.repeat(20)}`,
    gasUsed: '0xc350',
    ...(deposit === 'nothing' ? {} : { depositNonce: '0x0' }),
    ...(deposit === 'nonceAndVersion' ? { depositReceiptVersion: '0x1' } : {}),
  }
}

function someHash(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
