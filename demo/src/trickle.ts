import { setTimeout as sleep } from 'node:timers/promises'
import { type Hash, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { type DemoSchema, schemaText } from './content/demoSchema.ts'
import { demoAccount } from './demoAccounts.ts'
import type { CreatedIds, DemoCalls, DemoRevocation } from './demoProtocol.ts'
import {
  assertSucceeded,
  type DevClient,
  type DevTransaction,
  reorganise,
  sendTransaction,
} from './devChain.ts'
import { planAttestation } from './planHistory.ts'
import type { Populated } from './populate.ts'
import type { Random } from './random.ts'

export interface TrickleOptions {
  readonly random: Random
  /** Ends the trickle. */
  readonly signal: AbortSignal
  /** Shortest and longest pause between two transactions; 1 to 2 seconds by default. */
  readonly pauseMs?: readonly [number, number]
  /** Receives each error as one sentence; the trickle goes on. */
  readonly onProblem?: (problem: string) => void
}

interface LiveSchema<Id> {
  readonly content: DemoSchema
  readonly id: Id
  /** The block that registered the schema. */
  readonly block: bigint
  attestations: number
}

interface LiveAttestation<Id> {
  readonly revocation: Omit<DemoRevocation<Id>, 'reason'>
  readonly attester: number
  readonly reasons: readonly string[]
  readonly block: bigint
}

/** Bounds of memory: the newest revocable attestations and schemas are kept. */
const revocableMax = 200
const schemasMax = 200
const retryPauseMs = 5000
/** Fewer blocks than an indexer of the demo takes for final. */
const reorganisedBlocksMax = 4

/**
 * Adds attestations to a populated chain that mines each transaction at once. Now and then adds a revocation, an
 * anchor, a new schema, or a reorganisation, which reverts the newest blocks. Resolves when the signal is aborted.
 * Never rejects: after an error the trickle pauses and goes on.
 */
export async function trickle<Id>(
  client: DevClient,
  calls: DemoCalls<Id>,
  populated: Populated<Id>,
  options: TrickleOptions,
): Promise<void> {
  const { random, signal } = options
  const [shortest, longest] = options.pauseMs ?? [1000, 2000]
  let schemas: LiveSchema<Id>[] = populated.history.schemas.flatMap(({ content }, index) => {
    const id = populated.schemaIds[index]
    return id === undefined ? [] : [{ content, id, block: 0n, attestations: 0 }]
  })
  let revocable: LiveAttestation<Id>[] = []

  while (!signal.aborted) {
    let pauseMs = random.integer(shortest, longest)
    try {
      const chance = random.fraction()
      if (chance < 0.02) await register()
      else if (chance < 0.05) await anchor()
      else if (chance < 0.12 && revocable.length > 0) await revoke()
      else if (chance < 0.135) await reorganiseChain()
      else await attest()
    } catch (error) {
      if (signal.aborted) return
      options.onProblem?.(describeError(error))
      pauseMs = Math.max(pauseMs, Math.min(retryPauseMs, longest * 5))
    }
    // An aborted pause rejects, and the loop ends.
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }

  async function attest(): Promise<void> {
    const schema = pickByWeight(schemas, random)
    const { content, id: schemaId } = schema
    const timeS = await beginBlockTime(client)
    const size = content.batch === undefined ? 1 : random.integer(1, 5)
    const attester = random.pick(content.attesters)
    const attestations = Array.from({ length: size }, () => {
      schema.attestations += 1
      const planned = planAttestation(0, content, random, schema.attestations, timeS)
      return {
        schemaId,
        linkedId: null,
        revocable: content.revocable ?? true,
        planned: { ...planned, attester },
      }
    })
    const { attestationIds, block } = await send(await calls.attest(attestations))
    if (content.revocable === false) return
    revocable.push(
      ...attestationIds.map((attestationId) => ({
        revocation: { schemaId, attestationId },
        attester,
        reasons: content.reasons ?? [''],
        block,
      })),
    )
    revocable.splice(0, Math.max(0, revocable.length - revocableMax))
  }

  async function revoke(): Promise<void> {
    const index = random.integer(0, revocable.length - 1)
    const [attestation] = revocable.splice(index, 1)
    if (attestation === undefined) return
    const { revocation, reasons } = attestation
    const attester = demoAccount(attestation.attester).address
    await send(await calls.revoke(attester, [{ ...revocation, reason: random.pick(reasons) }]))
  }

  async function anchor(): Promise<void> {
    const attester = demoAccount(random.integer(0, 19)).address
    await send(await calls.anchor(attester, [`SPA_${random.digits(20)}`]))
  }

  /** Registers a new edition of an existing schema whose text has its name. */
  async function register(): Promise<void> {
    const { content } = random.pick(schemas)
    if (content.text !== undefined) return
    const edition = { ...content, name: `${content.name} (${random.pick(editions)})` }
    const [transaction] = await calls.register(edition, schemaText(edition))
    if (transaction === undefined) return
    const { schemaIds, block } = await send(transaction)
    schemas.push(...schemaIds.map((id) => ({ content: edition, id, block, attestations: 0 })))
    if (schemas.length > schemasMax) schemas.splice(populated.schemaIds.length, 1)
  }

  /** Records of the blocks that go are no longer referred to. */
  async function reorganiseChain(): Promise<void> {
    const depth = random.integer(1, reorganisedBlocksMax)
    const kept = await reorganise(client, depth)
    schemas = schemas.filter(({ block }) => block <= kept)
    revocable = revocable.filter(({ block }) => block <= kept)
  }

  async function send(transaction: DevTransaction): Promise<CreatedIds<Id> & { readonly block: bigint }> {
    const hash = await sendTransaction(client, transaction)
    const receipt = await fetchReceipt(client, hash, signal)
    await assertSucceeded(client, transaction, receipt)
    return { ...calls.createdIds(receipt), block: receipt.blockNumber }
  }
}

/**
 * Sets and returns the Unix seconds of the next block: the present, on a chain whose clock may be behind (mining took a
 * moment) or ahead. Contracts measure the validity of an attestation from the time of its block.
 */
async function beginBlockTime(client: DevClient): Promise<number> {
  const { timestamp } = await client.getBlock()
  const timeS = Math.max(Math.floor(Date.now() / 1000), Number(timestamp) + 1)
  await client.setNextBlockTimestamp({ timestamp: BigInt(timeS) })
  return timeS
}

/**
 * Unlike viem's function of this kind, this one needs no later block, which a chain that mines on demand may not make.
 */
async function fetchReceipt(client: DevClient, hash: Hash, signal: AbortSignal): Promise<TransactionReceipt> {
  const deadlineMs = performance.now() + receiptLimitMs
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || performance.now() > deadlineMs) throw error
    }
    await sleep(receiptPauseMs, undefined, { signal })
  }
}

const receiptLimitMs = 10_000
const receiptPauseMs = 50

const editions = ['v2', 'beta', '2027', 'pilot', '改訂版']

function pickByWeight<Id>(schemas: readonly LiveSchema<Id>[], random: Random): LiveSchema<Id> {
  const total = schemas.reduce((sum, { content }) => sum + content.weight, 0)
  let left = random.fraction() * total
  for (const schema of schemas) {
    left -= schema.content.weight
    if (left < 0) return schema
  }
  return random.pick(schemas)
}
