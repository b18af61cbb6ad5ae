import type { Address, TransactionReceipt } from 'viem'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { DemoSchema } from './content/demoSchema.ts'
import { slotS } from './createTimeline.ts'
import { demoAccount } from './demoAccounts.ts'
import type { DemoAttestation, DemoCalls } from './demoProtocol.ts'
import { type DevClient, type DevTransaction, mineTransactionsAtOnce } from './devChain.ts'
import { type History, planHistory, type Step } from './planHistory.ts'
import { createRandom } from './random.ts'

export interface PopulateOptions {
  readonly schemas: readonly DemoSchema[]
  readonly attestations: number
  /** The same seed, times and numbers give the same content. */
  readonly seed: number
  /** Unix seconds; after the chain's newest block. */
  readonly startTimeS: number
  /** Unix seconds of the last block, at the latest. */
  readonly endTimeS: number
  /** Called after every block with how many attestations there are by then. */
  readonly onProgress?: (progress: { readonly attestations: number; readonly of: number }) => void
}

/** The plan and the ids on the chain, so that more can be added. */
export interface Populated<Id> {
  readonly history: History
  /** By index in the plan. */
  readonly schemaIds: readonly Id[]
  readonly attestationIds: readonly Id[]
}

/**
 * Fills a chain with schemas and attestations of believable content: calls of the contract by many accounts, single,
 * batched and delegated, spread over the time between start and end. Automatic mining must be off.
 * @throws StartError when a transaction reverts.
 */
export async function populate<Id>(
  client: DevClient,
  calls: DemoCalls<Id>,
  options: PopulateOptions,
): Promise<Populated<Id>> {
  const history = planHistory({
    schemas: options.schemas,
    attestations: options.attestations,
    random: createRandom(options.seed),
    startTimeS: Math.ceil(options.startTimeS / slotS) * slotS,
    endTimeS: options.endTimeS,
  })
  const schemaIds: Id[] = []
  const attestationIds: Id[] = []
  const populated: Populated<Id> = { history, schemaIds, attestationIds }
  let attestations = 0
  for (const steps of groupByTime(history.steps)) {
    const transactions: DevTransaction[] = []
    /** For each step, the number of transactions up to its end. */
    const ends: number[] = []
    for (const step of steps) {
      transactions.push(...(await buildTransactions(calls, step, populated)))
      ends.push(transactions.length)
      if (step.kind === 'attest') attestations += step.attestations.length
    }
    const receipts = await mineTransactionsAtOnce(client, transactions, steps[0]?.timeS)
    for (const [index, step] of steps.entries()) {
      rememberIds(step, receipts.slice(ends[index - 1] ?? 0, ends[index]))
    }
    options.onProgress?.({ attestations, of: history.attestations.length })
  }
  return populated

  /** Stores the ids that a step's transactions created under the plan's indices. */
  function rememberIds(step: Step, receipts: readonly TransactionReceipt[]): void {
    const created = receipts.map((receipt) => calls.createdIds(receipt))
    if (step.kind === 'register')
      schemaIds[step.schema] = itemAt(
        created.flatMap((ids) => ids.schemaIds),
        0,
      )
    if (step.kind !== 'attest') return
    const ids = created.flatMap((each) => each.attestationIds)
    for (const [position, index] of step.attestations.entries()) attestationIds[index] = itemAt(ids, position)
  }
}

/** The calls of a step, with the ids from the contract in place of the plan's indices. */
async function buildTransactions<Id>(
  calls: DemoCalls<Id>,
  step: Step,
  populated: Populated<Id>,
): Promise<readonly DevTransaction[]> {
  const { history, schemaIds, attestationIds } = populated
  switch (step.kind) {
    case 'register': {
      const { content, text } = itemAt(history.schemas, step.schema)
      return calls.register(content, text, accountOf(step.relayer))
    }
    case 'attest': {
      const attestations = step.attestations.map((index) => attestationOf(index, populated))
      return [await calls.attest(attestations, accountOf(step.relayer))]
    }
    case 'revoke': {
      const first = itemAt(history.attestations, step.attestations[0] ?? -1)
      const revocations = step.attestations.map((index, position) => ({
        schemaId: itemAt(schemaIds, first.schema),
        attestationId: itemAt(attestationIds, index),
        reason: itemAt(step.reasons, position),
      }))
      return [await calls.revoke(demoAccount(first.attester).address, revocations, accountOf(step.relayer))]
    }
    case 'anchor':
      return [await calls.anchor(demoAccount(step.attester).address, step.ids, accountOf(step.relayer))]
    case 'revokeAnchor':
      return [await calls.revokeAnchor(demoAccount(step.attester).address, step.ids, step.reasons)]
  }
}

function attestationOf<Id>(index: number, populated: Populated<Id>): DemoAttestation<Id> {
  const { history, schemaIds, attestationIds } = populated
  const planned = itemAt(history.attestations, index)
  return {
    schemaId: itemAt(schemaIds, planned.schema),
    linkedId: planned.linked === null ? null : itemAt(attestationIds, planned.linked),
    revocable: itemAt(history.schemas, planned.schema).content.revocable ?? true,
    planned,
  }
}

function* groupByTime(steps: readonly Step[]): Generator<readonly Step[]> {
  let group: Step[] = []
  for (const step of steps) {
    if (group[0] !== undefined && group[0].timeS !== step.timeS) {
      yield group
      group = []
    }
    group.push(step)
  }
  if (group.length > 0) yield group
}

function accountOf(index: number | null): Address | undefined {
  return index === null ? undefined : demoAccount(index).address
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new StartError(`The demo's plan refers to item ${index} before it is made.`)
  return item
}
