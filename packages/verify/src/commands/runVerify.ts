import type { WriteLine } from '@attestry/host/standardOutput.ts'
import { migrateForWriting } from '@attestry/host/checkDatabase.ts'
import { randomInt } from 'node:crypto'
import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { IndexDiffersError } from '@attestry/core/errors/storeErrors.ts'
import type { Defect } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { AuditedChain } from '@attestry/core/index/indexAudit.ts'
import type { BlockSpan } from '../findings.ts'
import { createDefectNotes, type DefectNotes } from '../noteDefects.ts'
import { createRepairPlanner, type RepairPlan } from '../planRepair.ts'
import { repairIndex } from '../repairIndex.ts'
import { verifyIndex, type AskChain, type VerifyOptions } from '../verifyIndex.ts'
import { openChains } from './askChains.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { formatFinding, formatFindingJson } from './formatFinding.ts'
import type { Database } from '@attestry/host/database.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { closing } from '@attestry/host/closing.ts'

/** Options of `attestry verify`, not yet checked. */
export interface VerifyFlags {
  readonly all?: boolean
  readonly sample?: string
  readonly seed?: string
  readonly chain?: string
  readonly offline?: boolean
  readonly repair?: boolean
  /** The URL of another service; `runCompare` compares the index with that of the service. */
  readonly against?: string
  readonly json?: boolean
}

/** Rounds of repair and verification: repairing a record can reveal that its revocation is missing. */
const roundsMax = 4

const sampleDefault = 200

/** A person waits for the answer. */
const callBudgetDefaultMs = 30_000

/**
 * Compares an index with itself and with its chains, and writes a line for each difference. `callBudgetMs` limits one
 * call of an endpoint with its retries.
 * @throws IndexDiffersError when anything differs or could not be compared; with a repair, when this holds after the
 * last round.
 * @throws ConfigError for an option that cannot be used.
 * @throws StartError without a database, or with a repair while another process indexes.
 */
export async function runVerify(
  config: Config,
  flags: VerifyFlags,
  write: WriteLine,
  signal: AbortSignal,
  callBudgetMs = callBudgetDefaultMs,
): Promise<void> {
  const options = readOptions(flags)
  const database = await openExisting(config.database)
  using lock = flags.repair === true ? database.lock() : null
  await using chains = closing(openChains(config, callBudgetMs))
  if (lock !== null) await migrateForWriting(database)
  await write(
    flags.json === true
      ? JSON.stringify({ type: 'verification', seed: options.seed, sample: options.sample })
      : `verifying ${database.place} with the seed ${options.seed}`,
  )
  await verifyInRounds(database, chains.ask, options, flags, write, signal)
}

async function verifyInRounds(
  database: Database,
  ask: AskChain,
  options: VerifyOptions,
  flags: VerifyFlags,
  write: WriteLine,
  signal: AbortSignal,
): Promise<void> {
  // Blocks with known defects are verified again, whatever the sample.
  const known = await knownDefects(database)
  let also: ReadonlyMap<ChainId, readonly BlockSpan[]> = new Map(
    [...known].flatMap(([chainId, { fromBlock, toBlock }]) =>
      fromBlock === null || toBlock === null ? [] : [[chainId, [{ fromBlock, toBlock }]]],
    ),
  )
  for (let round = 1; ; round++) {
    const { plan, differences, unasked, notes } = await verifyOnce(
      database,
      ask,
      { ...options, also },
      flags,
      write,
      signal,
    )
    const done = differences === 0 && unasked === 0
    const mendable =
      plan.undecided.length === 0 && (plan.rewinds.size > 0 || plan.reindex.size > 0 || plan.rebuild)
    if (done || flags.repair !== true || !mendable || round === roundsMax) {
      if (!options.offline || differences > 0) await keepNotes(database, known, notes, flags, write)
      await tellUndecided(flags, plan, write)
      return await conclude(flags, differences, unasked, write)
    }
    if (flags.json !== true) await write('repairing, then verifying again')
    also = joinSpans(also, await repairOnce(database, ask, plan, signal))
  }
}

async function verifyOnce(
  database: Database,
  ask: AskChain,
  options: VerifyOptions,
  flags: VerifyFlags,
  write: WriteLine,
  signal: AbortSignal,
): Promise<{
  readonly plan: RepairPlan
  readonly differences: number
  readonly unasked: number
  readonly notes: DefectNotes
}> {
  await using audit = closing(database.openAudit())
  const planner = createRepairPlanner()
  const notes = createDefectNotes(new Date().toISOString().slice(0, 10))
  let [differences, unasked] = [0, 0]
  for await (const finding of verifyIndex(audit, ask, options, signal)) {
    planner.add(finding)
    notes.add(finding)
    if (finding.kind === 'difference') differences += 1
    if (finding.kind === 'unasked') unasked += 1
    await write(flags.json === true ? formatFindingJson(finding) : formatFinding(finding))
  }
  return { plan: planner.plan(), differences, unasked, notes }
}

async function knownDefects(database: Database): Promise<ReadonlyMap<ChainId, Defect>> {
  try {
    await using reader = closing(database.openReader())
    const chains = await reader.listChains()
    return new Map(
      chains.flatMap(({ defect, status }) => (defect === null ? [] : [[status.chainId, defect] as const])),
    )
  } catch (error) {
    // The index is damaged, which the verification reports.
    if (!(error instanceof AttestryError)) throw error
    return new Map()
  }
}

/**
 * Keeps in the database what was compared and found, for readers of the state of a chain, and takes away what is mended.
 */
async function keepNotes(
  database: Database,
  known: ReadonlyMap<ChainId, Defect>,
  notes: DefectNotes,
  flags: VerifyFlags,
  write: WriteLine,
): Promise<void> {
  const changed = [...notes.defects()].filter(([chainId, defect]) => defect !== null || known.has(chainId))
  const verifications = notes.verifications()
  if (changed.length === 0 && verifications.size === 0) return
  const at = unixSeconds(Math.floor(Date.now() / 1000))
  try {
    await using writer = closing(database.openWriter())
    for (const [chainId, defect] of changed) await writer.markDefect(chainId, defect, known.get(chainId))
    for (const [chainId, verified] of verifications)
      await writer.noteVerification(chainId, { at, ...verified })
  } catch (error) {
    // A database that cannot be written to can be verified all the same.
    if (!(error instanceof AttestryError)) throw error
    if (flags.json !== true)
      await write(`the state of the chain does not tell of this: ${describeError(error)}`)
  }
}

async function repairOnce(
  database: Database,
  ask: AskChain,
  plan: RepairPlan,
  signal: AbortSignal,
): Promise<ReadonlyMap<ChainId, readonly BlockSpan[]>> {
  const known = await listChains(database)
  return await repairIndex(database.openRepair(), known, ask, plan, signal)
}

async function listChains(database: Database): Promise<readonly AuditedChain[]> {
  await using audit = closing(database.openAudit())
  return await audit.listChains()
}

async function tellUndecided(flags: VerifyFlags, { undecided }: RepairPlan, write: WriteLine): Promise<void> {
  if (flags.repair !== true || flags.json === true || undecided.length === 0) return
  await write(
    `not repaired: counters and records of chain ${undecided.join(', ')} contradict each other, and only the chain can tell which are right`,
  )
}

async function conclude(
  flags: VerifyFlags,
  differences: number,
  unasked: number,
  write: WriteLine,
): Promise<void> {
  if (flags.json === true) await write(JSON.stringify({ type: 'summary', differences, unasked }))
  else if (differences === 0 && unasked === 0) await write('no difference')
  if (differences === 0 && unasked === 0) return
  const told = [
    ...(differences === 0 ? [] : [`differences: ${differences}`]),
    ...(unasked === 0 ? [] : [`chains that could not be compared as a whole: ${unasked}`]),
  ]
  throw new IndexDiffersError(`The index was not found to be right: ${told.join(', ')}`, {
    facts: { differences, unasked },
  })
}

function readOptions(flags: VerifyFlags): VerifyOptions {
  if (flags.all === true && flags.sample !== undefined) {
    throw new ConfigError('The options --all and --sample exclude each other')
  }
  return {
    sample: flags.all === true ? 'all' : (readNumber('--sample', flags.sample) ?? sampleDefault),
    seed: readNumber('--seed', flags.seed) ?? randomInt(2 ** 32),
    offline: flags.offline === true,
    thorough: flags.repair === true,
    chainIds: readChainIds(flags),
    also: new Map(),
  }
}

function readNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^[0-9]{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text)
  throw new ConfigError(
    `The option ${option} must be a whole number below 2^32, but is ${JSON.stringify(text)}`,
  )
}

/** The chains that the flags name; null if they name no chain. */
export function readChainIds({ chain }: VerifyFlags): ReadonlySet<ChainId> | null {
  return chain === undefined ? null : new Set(chain.split(',').map(readChainId))
}

function readChainId(text: string): ChainId {
  if (/^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new ConfigError(
    `The option --chain must be chain numbers, such as 1 or 1,10, but has ${JSON.stringify(text)}`,
  )
}

function joinSpans(
  a: ReadonlyMap<ChainId, readonly BlockSpan[]>,
  b: ReadonlyMap<ChainId, readonly BlockSpan[]>,
): ReadonlyMap<ChainId, readonly BlockSpan[]> {
  const joined = new Map(a)
  for (const [chainId, spans] of b) joined.set(chainId, [...(joined.get(chainId) ?? []), ...spans])
  return joined
}
