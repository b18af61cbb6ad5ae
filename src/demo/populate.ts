import type { Address, TransactionReceipt } from 'viem'
import { StartError } from '../errors/configErrors.ts'
import type { DemoSchema } from './content/demoSchema.ts'
import { demoSchemas } from './content/demoSchemas.ts'
import { demoAccount } from './demoAccounts.ts'
import { slotS } from './createTimeline.ts'
import type { SignDeployment } from './deploySign.ts'
import { createdIds, type DevClient, type DevTransaction, mineTransactionsAtOnce } from './devChain.ts'
import { type History, type PlannedAttestation, planHistory, type Step } from './planHistory.ts'
import { createRandom } from './random.ts'
import type { AttestationInput, SchemaInput } from './signCalls.ts'
import { createSignTransactions, type SignTransactions } from './signTransactions.ts'

export interface PopulateOptions {
  /** At most as many as `demoSchemas` holds, which is the default. */
  readonly schemas?: number
  /** 3,300 by default. */
  readonly attestations?: number
  /** The same seed, times and numbers give the same content. */
  readonly seed?: number
  /** Unix seconds; after the chain's newest block. */
  readonly startTimeS: number
  /** Unix seconds of the last block, at the latest. */
  readonly endTimeS: number
  /** Called after every block with how many attestations there are by then. */
  readonly onProgress?: (progress: { readonly attestations: number; readonly of: number }) => void
}

/** The plan and the ids on the chain, so that more can be added. */
export interface Populated {
  readonly history: History
  /** By index in the plan. */
  readonly schemaIds: readonly bigint[]
  readonly attestationIds: readonly bigint[]
}

/**
 * Fills a chain with schemas and attestations of believable content: calls of the contract by many accounts, single, batched and
 * delegated, spread over the time between start and end. Automatic mining must be off.
 * @throws StartError when a transaction reverts.
 */
export async function populate(
  client: DevClient,
  deployment: SignDeployment,
  options: PopulateOptions,
): Promise<Populated> {
  const history = planHistory({
    schemas: demoSchemas.slice(0, options.schemas ?? demoSchemas.length),
    attestations: options.attestations ?? 3300,
    random: createRandom(options.seed ?? 1),
    startTimeS: Math.ceil(options.startTimeS / slotS) * slotS,
    endTimeS: options.endTimeS,
  })
  const build = createSignTransactions(deployment.address)
  const schemaIds: bigint[] = []
  const attestationIds: bigint[] = []
  const populated: Populated = { history, schemaIds, attestationIds }
  let attestations = 0
  for (const steps of groupByTime(history.steps)) {
    const transactions: DevTransaction[] = []
    for (const step of steps) {
      transactions.push(await buildTransaction(build, step, populated, deployment.hook))
      if (step.kind === 'attest') attestations += step.attestations.length
    }
    const receipts = await mineTransactionsAtOnce(client, transactions, steps[0]?.timeS)
    for (const [index, step] of steps.entries()) {
      rememberIds(step, itemAt(receipts, index), schemaIds, attestationIds)
    }
    options.onProgress?.({ attestations, of: history.attestations.length })
  }
  return populated
}

/** The call of a step, with the ids from the contract in place of the plan's indices. */
async function buildTransaction(
  build: SignTransactions,
  step: Step,
  populated: Populated,
  hook: Address,
): Promise<DevTransaction> {
  switch (step.kind) {
    case 'register': {
      const { content, text } = itemAt(populated.history.schemas, step.schema)
      return build.register(schemaInput(content, text, hook), accountOf(step.relayer))
    }
    case 'attest': {
      const inputs = step.attestations.map((index) =>
        attestationInput(itemAt(populated.history.attestations, index), populated),
      )
      return inputs.length === 1
        ? build.attest(itemAt(inputs, 0), accountOf(step.relayer))
        : build.attestBatch(inputs, accountOf(step.relayer))
    }
    case 'revoke': {
      const ids = step.attestations.map((index) => itemAt(populated.attestationIds, index))
      const first = itemAt(populated.history.attestations, step.attestations[0] ?? -1)
      const attester = demoAccount(first.attester).address
      return ids.length === 1
        ? build.revoke(attester, itemAt(ids, 0), itemAt(step.reasons, 0), accountOf(step.relayer))
        : build.revokeBatch(attester, ids, step.reasons, accountOf(step.relayer))
    }
    case 'anchor':
      return build.attestOffchain(demoAccount(step.attester).address, step.ids, accountOf(step.relayer))
    case 'revokeAnchor':
      return build.revokeOffchain(demoAccount(step.attester).address, step.ids, step.reasons)
  }
}

/** Stores the ids that a step's transaction created under the plan's indices. */
function rememberIds(
  step: Step,
  receipt: TransactionReceipt,
  schemaIds: bigint[],
  attestationIds: bigint[],
): void {
  const created = createdIds(receipt)
  if (step.kind === 'register') schemaIds[step.schema] = itemAt(created.schemaIds, 0)
  if (step.kind !== 'attest') return
  for (const [position, index] of step.attestations.entries()) {
    attestationIds[index] = itemAt(created.attestationIds, position)
  }
}

export function schemaInput(content: DemoSchema, text: string, hook: Address): SchemaInput {
  return {
    registrant: demoAccount(content.registrant).address,
    data: text,
    revocable: content.revocable ?? true,
    dataLocation: content.dataLocation ?? 0,
    maxValidFor: BigInt(content.maxValidForS ?? 0),
    ...(content.hook === true ? { hook } : {}),
  }
}

export function attestationInput(
  planned: PlannedAttestation,
  ids: { readonly schemaIds: readonly bigint[]; readonly attestationIds: readonly bigint[] },
): AttestationInput {
  return {
    schemaId: itemAt(ids.schemaIds, planned.schema),
    attester: demoAccount(planned.attester).address,
    recipients: planned.recipients,
    data: planned.data,
    dataLocation: planned.dataLocation,
    validUntil: planned.validUntil,
    linkedAttestationId: planned.linked === null ? 0n : itemAt(ids.attestationIds, planned.linked),
    indexingValue: planned.indexingValue,
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
