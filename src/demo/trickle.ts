import { setTimeout as sleep } from 'node:timers/promises'
import type { TransactionReceipt } from 'viem'
import { describeError } from '../errors/baseError.ts'
import { type DemoSchema, schemaText } from './content/demoSchema.ts'
import { demoAccount } from './demoAccounts.ts'
import type { SignDeployment } from './deploySign.ts'
import {
  assertSucceeded,
  createdIds,
  type DevClient,
  type DevTransaction,
  sendTransaction,
} from './devChain.ts'
import { planAttestation } from './planHistory.ts'
import { attestationInput, type Populated, schemaInput } from './populate.ts'
import type { Random } from './random.ts'
import { createSignTransactions } from './signTransactions.ts'

export interface TrickleOptions {
  readonly random: Random
  /** Ends the trickle. */
  readonly signal: AbortSignal
  /** Shortest and longest pause between two transactions; 1 to 2 seconds by default. */
  readonly pauseMs?: readonly [number, number]
  /** Receives each error as one sentence; the trickle goes on. */
  readonly onProblem?: (problem: string) => void
}

interface LiveSchema {
  readonly content: DemoSchema
  readonly id: bigint
  attestations: number
}

interface LiveAttestation {
  readonly id: bigint
  readonly attester: number
  readonly reasons: readonly string[]
}

/** Bounds of memory: the newest revocable attestations and schemas are kept. */
const revocableMax = 200
const schemasMax = 200
const retryPauseMs = 5000

/**
 * Adds attestations to a populated chain that mines each transaction at once, and now and then a revocation, an anchor or a new schema.
 * Resolves when the signal is aborted. Never rejects: after an error the trickle pauses and goes on.
 */
export async function trickle(
  client: DevClient,
  deployment: SignDeployment,
  populated: Populated,
  options: TrickleOptions,
): Promise<void> {
  const { random, signal } = options
  const [shortest, longest] = options.pauseMs ?? [1000, 2000]
  const build = createSignTransactions(deployment.address)
  const schemas: LiveSchema[] = populated.history.schemas.map(({ content }, index) => ({
    content,
    id: populated.schemaIds[index] ?? 0n,
    attestations: 0,
  }))
  const revocable: LiveAttestation[] = []

  while (!signal.aborted) {
    let pauseMs = random.integer(shortest, longest)
    try {
      const chance = random.fraction()
      if (chance < 0.02) await register()
      else if (chance < 0.05) await anchor()
      else if (chance < 0.12 && revocable.length > 0) await revoke()
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
    const { content } = schema
    const timeS = Math.floor(Date.now() / 1000)
    const size = content.batch === undefined ? 1 : random.integer(1, 5)
    const attester = random.pick(content.attesters)
    const attestations = Array.from({ length: size }, () => {
      schema.attestations += 1
      const planned = planAttestation(0, content, random, schema.attestations, timeS)
      // With limited validity, the contract rejects an attestation that has expired by the time of the block.
      const validUntil =
        content.maxValidForS !== undefined && planned.validUntil < timeS + 60
          ? BigInt(timeS + 60)
          : planned.validUntil
      return attestationInput(
        { ...planned, attester, validUntil },
        { schemaIds: [schema.id], attestationIds: [] },
      )
    })
    const [only] = attestations
    const ids = createdIds(
      await send(
        attestations.length === 1 && only !== undefined
          ? await build.attest(only)
          : await build.attestBatch(attestations),
      ),
    ).attestationIds
    if (content.revocable === false) return
    revocable.push(...ids.map((id) => ({ id, attester, reasons: content.reasons ?? [''] })))
    revocable.splice(0, Math.max(0, revocable.length - revocableMax))
  }

  async function revoke(): Promise<void> {
    const index = random.integer(0, revocable.length - 1)
    const [attestation] = revocable.splice(index, 1)
    if (attestation === undefined) return
    const attester = demoAccount(attestation.attester).address
    await send(await build.revoke(attester, attestation.id, random.pick(attestation.reasons)))
  }

  async function anchor(): Promise<void> {
    const attester = demoAccount(random.integer(0, 19)).address
    await send(await build.attestOffchain(attester, [`SPA_${random.digits(20)}`]))
  }

  /** Registers a new edition of an existing schema. */
  async function register(): Promise<void> {
    const { content } = random.pick(schemas)
    if (content.text !== undefined) return
    const edition = { ...content, name: `${content.name} (${random.pick(editions)})` }
    const receipt = await send(
      await build.register(schemaInput(edition, schemaText(edition), deployment.hook)),
    )
    const [id] = createdIds(receipt).schemaIds
    if (id !== undefined) schemas.push({ content: edition, id, attestations: 0 })
    if (schemas.length > schemasMax) schemas.splice(populated.schemaIds.length, 1)
  }

  async function send(transaction: DevTransaction): Promise<TransactionReceipt> {
    const hash = await sendTransaction(client, transaction)
    const receipt = await untilAborted(client.waitForTransactionReceipt({ hash, timeout: 10_000 }), signal)
    await assertSucceeded(client, transaction, receipt)
    return receipt
  }
}

/** viem takes an aborted request for a failed one, and waits for the receipt until its timeout. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const editions = ['v2', 'beta', '2027', 'pilot', '改訂版']

function pickByWeight(schemas: readonly LiveSchema[], random: Random): LiveSchema {
  const total = schemas.reduce((sum, { content }) => sum + content.weight, 0)
  let left = random.fraction() * total
  for (const schema of schemas) {
    left -= schema.content.weight
    if (left < 0) return schema
  }
  return random.pick(schemas)
}
