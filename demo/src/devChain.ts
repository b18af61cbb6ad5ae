import { asClause } from '@attestry/core/errors/baseError.ts'
import {
  type Address,
  createClient,
  decodeErrorResult,
  getAddress,
  type Hash,
  type Hex,
  http,
  type HttpTransport,
  type PublicActions,
  numberToHex,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  type Client,
  type TestActions,
  testActions,
} from 'viem'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { signAbi } from './signAbi.ts'

/** A viem client of a development chain, with the reads of any chain and the controls of anvil. */
export type DevClient = Client<HttpTransport, undefined, undefined, undefined, PublicActions & TestActions>

/** A transaction of an unlocked account; without `to` it creates a contract. */
export interface DevTransaction {
  readonly from: Address
  readonly to?: Address
  readonly data: Hex
}

/**
 * After an abort of `signal`, pending and later requests reject. `batch`: whether calls of one turn share an HTTP
 * request. viem batches the calls of all clients of one URL, and the signal of the first one aborts all.
 */
export function createDevClient(url: string, signal?: AbortSignal, batch = true): DevClient {
  const fetchOptions = signal === undefined ? {} : { signal }
  return createClient({
    transport: http(url, { retryCount: 0, fetchOptions, batch: batch && { batchSize: 100 } }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' }))
}

/**
 * Gas limit of every transaction, above the gas of the largest batch. An estimate would execute each transaction twice.
 */
const transactionGas = 60_000_000n

/** Sends a transaction to the chain's pool and returns its hash. Without a `nonce` the chain uses the next one. */
export function sendTransaction(
  client: DevClient,
  transaction: DevTransaction,
  nonce?: number,
): Promise<Hash> {
  const numbered = nonce === undefined ? {} : { nonce: numberToHex(nonce) }
  return client.request({
    method: 'eth_sendTransaction',
    params: [{ ...transaction, ...numbered, gas: numberToHex(transactionGas) }],
  })
}

/**
 * Mines `transactions`, in this order, into one block with the time `timestampS` (after the previous block), by default
 * that of the chain's clock. Automatic mining must be off.
 * @throws StartError when a transaction reverts.
 */
export async function mineTransactions(
  client: DevClient,
  transactions: readonly DevTransaction[],
  timestampS?: number,
): Promise<readonly TransactionReceipt[]> {
  const hashes: Hash[] = []
  for (const transaction of transactions) hashes.push(await sendTransaction(client, transaction))
  return mineSent(client, transactions, hashes, timestampS)
}

/** As `mineTransactions`, but sends all transactions at once: faster, with no promised order in the block. */
export async function mineTransactionsAtOnce(
  client: DevClient,
  transactions: readonly DevTransaction[],
  timestampS?: number,
): Promise<readonly TransactionReceipt[]> {
  const senders = [...new Set(transactions.map((transaction) => transaction.from))]
  const counts = await Promise.all(senders.map((address) => client.getTransactionCount({ address })))
  const nonces = new Map(senders.map((sender, index) => [sender, counts[index] ?? 0]))
  const hashes = await Promise.all(
    transactions.map((transaction) => {
      const nonce = nonces.get(transaction.from) ?? 0
      nonces.set(transaction.from, nonce + 1)
      return sendTransaction(client, transaction, nonce)
    }),
  )
  return mineSent(client, transactions, hashes, timestampS)
}

async function mineSent(
  client: DevClient,
  transactions: readonly DevTransaction[],
  hashes: readonly Hash[],
  timestampS: number | undefined,
): Promise<readonly TransactionReceipt[]> {
  await mineBlock(client, timestampS)
  const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
  for (const [index, transaction] of transactions.entries()) {
    const receipt = receipts[index]
    if (receipt !== undefined) await assertSucceeded(client, transaction, receipt)
  }
  return receipts
}

/** Mines the transactions of the pool. */
export async function mineBlock(client: DevClient, timestampS?: number): Promise<void> {
  if (timestampS !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(timestampS) })
  await client.mine({ blocks: 1 })
}

/**
 * Replaces the newest `depth` blocks by empty ones, as a reorganisation does; their transactions are lost. Returns the
 * number of the newest block that stays.
 */
export async function reorganise(client: DevClient, depth: number): Promise<bigint> {
  const head = await client.getBlockNumber()
  await client.request<ReorganiseRequest>({ method: 'anvil_reorg', params: [depth, []] })
  return head - BigInt(depth)
}

interface ReorganiseRequest {
  Method: 'anvil_reorg'
  Parameters: [depth: number, transactions: readonly []]
  ReturnType: null
}

/** Creates a contract in a block of its own. */
export async function deployContract(
  client: DevClient,
  from: Address,
  bytecode: Hex,
  timestampS?: number,
): Promise<Address> {
  const [receipt] = await mineTransactions(client, [{ from, data: bytecode }], timestampS)
  if (receipt?.contractAddress === undefined || receipt.contractAddress === null) {
    throw new StartError('A contract was not created on the local chain.')
  }
  return getAddress(receipt.contractAddress)
}

export async function assertSucceeded(
  client: DevClient,
  transaction: DevTransaction,
  receipt: TransactionReceipt,
): Promise<void> {
  if (receipt.status === 'success') return
  const reason = await findRevertReason(client, transaction, receipt.blockNumber)
  throw new StartError(`A transaction of the local chain was reverted: ${asClause(reason)}.`, {
    facts: { transactionHash: receipt.transactionHash, reason },
  })
}

/** Ids that a transaction created, in the order of its logs. */
export function createdIds(receipt: TransactionReceipt): { schemaIds: bigint[]; attestationIds: bigint[] } {
  const schemaIds: bigint[] = []
  const attestationIds: bigint[] = []
  for (const log of parseEventLogs({ abi: signAbi, logs: receipt.logs })) {
    if (log.eventName === 'SchemaRegistered') schemaIds.push(log.args.schemaId)
    if (log.eventName === 'AttestationMade') attestationIds.push(log.args.attestationId)
  }
  return { schemaIds, attestationIds }
}

/** Repeats the transaction as a call on the previous block: the receipt holds no reason. */
async function findRevertReason(
  client: DevClient,
  transaction: DevTransaction,
  blockNumber: bigint,
): Promise<string> {
  try {
    await client.request({
      method: 'eth_call',
      params: [{ ...transaction }, numberToHex(blockNumber - 1n)],
    })
    return 'for a reason that a second try does not show'
  } catch (error) {
    const data = revertDataOf(error)
    if (data === null) return 'without a reason'
    try {
      return decodeErrorResult({ abi: signAbi, data }).errorName
    } catch {
      return data
    }
  }
}

function revertDataOf(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const data: unknown = Reflect.get(cause, 'data')
    if (typeof data === 'string' && /^0x(?:[0-9a-f]{2})+$/.test(data)) return data as Hex
  }
  return null
}
