import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { shareTurn } from '@attestry/core/model/threadTurns.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { findVouched, type HoldingReads, type VouchedRecord, type Vouching } from './findVouched.ts'
import { describeHolds } from './describeHolds.ts'
import { listHolds, type Holds, type Policy, type Term } from './policy.ts'

/** A record that decided. */
export interface DecidingRecord extends StoredKey {
  /** For how many seconds after it was made the record counts; null: as long as it is valid. */
  readonly maxAge: number | null
  /** Whether an attester holds it, not the subject. */
  readonly vouches: boolean
}

export interface Verdict {
  readonly subject: Address
  /** `unknown`: what the policy needs is not known, so that a `deny` might be wrong. */
  readonly verdict: 'allow' | 'deny' | 'unknown'
  /**
   * The reason of `unknown`: a chain whose index is not up to date, or a subject that has too many attestations that do
   * not count; null for other verdicts.
   */
  readonly unknown: 'chain' | 'subject' | null
  /** The ids of the records that the verdict is because of. */
  readonly because: readonly string[]
  /** The same records. */
  readonly records: readonly DecidingRecord[]
  /** One sentence for each term that decided. */
  readonly reasons: readonly string[]
  /** The finding of the policy, with those of its terms. */
  readonly finding: Finding
}

/** The reads that a policy is evaluated by, over one state of the index. */
export interface Evidence extends HoldingReads {
  /** Why what is indexed of a schema cannot be relied on, in a sentence; null if it can. */
  readonly doubtOf: (schema: RecordKey) => string | null
}

/** null: not known. */
type Truth = boolean | null

/** The finding of a term for a subject. */
export interface Finding {
  readonly kind: Term['kind']
  readonly truth: Truth
  readonly records: readonly DecidingRecord[]
  readonly reasons: readonly string[]
  /** The terms within, in their order. */
  readonly parts: readonly Finding[]
  /** How many of the parts must be true. */
  readonly needed: number
}

/** Keys of records that a judgement holds at the same time. */
const keysMax = 20_000

/**
 * The verdicts of a policy on subjects, in their order. Subjects are judged in parts: what a part holds is forgotten
 * before the next one.
 * @param show what is kept of a verdict.
 * @throws BadParameterError if their reasons would be too long together.
 */
export async function evaluatePolicy<Shown>(
  { term }: Pick<Policy, 'term'>,
  subjects: readonly Address[],
  evidence: Evidence,
  show: (verdict: Verdict, index: number) => Shown,
): Promise<readonly Shown[]> {
  const doubtsOfTerms = listHolds(term).map(({ schema }) => evidence.doubtOf(schema))
  const doubts = [...new Set(doubtsOfTerms)].filter((doubt) => doubt !== null)
  const keysOfSubject = listHolds(term).reduce((sum, { attestersMin }) => sum + attestersMin, 0)
  const partSize = Math.max(1, Math.floor(keysMax / Math.max(1, keysOfSubject)))
  const shown: Shown[] = []
  let characters = 0
  for (let start = 0; start < subjects.length; start += partSize) {
    const part = subjects.slice(start, start + partSize)
    const judge = await createJudge(term, part, evidence)
    for (const [index, subject] of part.entries()) {
      const paused = shareTurn()
      if (paused !== undefined) await paused
      const verdict = verdictOf(subject, judge(index), doubts)
      characters += [...verdict.because, ...verdict.reasons].reduce((sum, text) => sum + text.length, 0)
      if (characters > charactersMax) throw tooLong(subjects.length)
      shown.push(show(verdict, start + index))
    }
  }
  return shown
}

/** Characters of a record in the answer: its id stands in it twice. */
const charactersOfRecord = 2 * 90

/** Characters of what a term says beside its records. */
const charactersOfTerm = 250

/** About how many bytes a judgement holds at most: the text of its answer stands in memory three times. */
export function judgementBytes({ term }: Pick<Policy, 'term'>, subjectCount: number): number {
  const ofSubject = listHolds(term).reduce(
    (sum, { attestersMin }) => sum + attestersMin * charactersOfRecord + charactersOfTerm,
    0,
  )
  return 3 * Math.min(charactersMax, subjectCount * ofSubject)
}

function verdictOf(subject: Address, finding: Finding, doubts: readonly string[]): Verdict {
  const { truth, records, reasons } = finding
  const unknown = truth === true ? null : doubts.length > 0 ? 'chain' : truth === null ? 'subject' : null
  if (unknown !== null) {
    const told = unknown === 'chain' ? doubts : reasons
    return { subject, verdict: 'unknown', unknown, because: [], records: [], reasons: told, finding }
  }
  const because = records.map((key) => formatCompositeId(key))
  return { subject, verdict: truth === true ? 'allow' : 'deny', unknown, because, records, reasons, finding }
}

/** Characters of the reasons and ids of all verdicts: those of ten thousand subjects by 64 terms would be 100 million. */
const charactersMax = 24 * 1024 * 1024

function tooLong(count: number): BadParameterError {
  return new BadParameterError(
    `subjects: the reasons of the verdicts on ${count.toLocaleString('en')} subjects would have more than ` +
      `${charactersMax.toLocaleString('en')} characters; send fewer subjects, or a policy of fewer terms.`,
  )
}

/** Judges a term for the subject at an index. */
type Judge = (index: number) => Finding

/** Reads what the subjects hold of a term, and of each term within. */
async function createJudge(term: Term, subjects: readonly Address[], evidence: Evidence): Promise<Judge> {
  switch (term.kind) {
    case 'holds': {
      const { holds } = term
      const { vouch } = holds
      const doubt = evidence.doubtOf(holds.schema) ?? (vouch && evidence.doubtOf(vouch.holds.schema))
      if (doubt !== null) {
        const unknown: Finding = { ...nothingHeld, truth: null, reasons: [doubt] }
        return () => unknown
      }
      if (vouch !== null) return judgeHolds(holds, await findVouched(evidence, holds, vouch, subjects))
      const held = await evidence.find(holds, subjects)
      return judgeHolds(
        holds,
        held.map((keys) => keys && keys.map((key) => ({ key }))),
      )
    }
    case 'not': {
      const judge = await createJudge(term.term, subjects, evidence)
      return (index) => {
        const part = judge(index)
        const { truth, records, reasons } = part
        const opposite = truth === null ? null : !truth
        return { kind: 'not', truth: opposite, records, reasons, parts: [part], needed: 0 }
      }
    }
    default: {
      const judges: Judge[] = []
      for (const each of term.terms) judges.push(await createJudge(each, subjects, evidence))
      const count = term.kind === 'all' ? judges.length : term.kind === 'atLeast' ? term.count : 1
      return (index) =>
        combine(
          term.kind,
          judges.map((judge) => judge(index)),
          count,
        )
    }
  }
}

const nothingHeld = { kind: 'holds', parts: [], needed: 0, records: [] } as const

const tooMany =
  'The subject has more attestations that do not count than one answer may look at, so it is not known whether it holds'

type HeldRecord = { readonly key: StoredKey } & Partial<VouchedRecord>

function judgeHolds(holds: Holds, held: readonly (readonly HeldRecord[] | null)[]): Judge {
  const what = describeHolds(holds)
  const verb = holds.role === 'attester' ? 'made' : 'holds'
  // Thousands of subjects that hold nothing share one finding.
  const none: Finding = { ...nothingHeld, truth: false, reasons: [`The subject ${verb} no ${what}.`] }
  const unknown: Finding = { ...nothingHeld, truth: null, reasons: [`${tooMany} ${what}.`] }
  return (index) => {
    const found = held[index]
    if (found === null) return unknown
    if (found === undefined || found.length === 0) return none
    const ids = found.map(({ key }) => formatCompositeId(key))
    const truth = found.length >= holds.attestersMin
    const share = truth ? '' : `, ${ids.length} of the ${holds.attestersMin} that are needed`
    const paths = found.flatMap(describePath).join('')
    const reason = `The subject ${verb} ${ids.join(', ')}${share}: ${what}.${paths}`
    const own = found.map(({ key }) => ({ ...key, maxAge: holds.maxAge, vouches: false }))
    const vouching = found.flatMap(({ vouching: records }) =>
      records === undefined ? [] : keysOfVouching(records),
    )
    const maxAge = holds.vouch?.holds.maxAge ?? null
    const records = distinctRecords([...own, ...vouching.map((key) => ({ ...key, maxAge, vouches: true }))])
    return { kind: 'holds', truth, parts: [], needed: 0, records, reasons: [reason] }
  }
}

/** The way from a record to the account that is trusted, as a sentence: record, attester, the attester's own record. */
function describePath({ key, attester, vouching }: HeldRecord): readonly string[] {
  if (attester === undefined || vouching === undefined) return []
  const by = vouching.by.map((each) =>
    each.records.length === 0
      ? ` from ${checksumAddress(each.attester)}`
      : ` from ${checksumAddress(each.attester)}, who holds ${idsOf(each.records)}`,
  )
  return [
    ` ${formatCompositeId(key)} is by ${checksumAddress(attester)}, who holds ${idsOf(vouching.records)}${by.join(' and')}.`,
  ]
}

function idsOf(keys: readonly StoredKey[]): string {
  return keys.map((key) => formatCompositeId(key)).join(', ')
}

function keysOfVouching({ records, by }: Vouching): readonly StoredKey[] {
  return [...records, ...by.flatMap((each) => each.records)]
}

/** True if at least `count` findings are true. The findings that decided give the reasons. */
function combine(kind: Term['kind'], findings: readonly Finding[], count: number): Finding {
  const known = (truth: Truth) => findings.filter((finding) => finding.truth === truth)
  const [right, open] = [known(true), known(null)]
  const truth = right.length >= count ? true : right.length + open.length >= count ? null : false
  const deciding = truth === true ? right : truth === null ? open : known(false)
  return {
    kind,
    truth,
    parts: findings,
    needed: count,
    records: distinctRecords(deciding.flatMap(({ records }) => records)),
    reasons: [...new Set(deciding.flatMap(({ reasons }) => reasons))],
  }
}

/** The records, each once, with the least `maxAge` that it has. */
function distinctRecords(records: readonly DecidingRecord[]): readonly DecidingRecord[] {
  const distinct = new Map<string, DecidingRecord>()
  for (const record of records) {
    // Records of several protocols may have one id.
    const name = `${record.protocol} ${formatCompositeId(record)}`
    const other = distinct.get(name) ?? record
    const ages = [record.maxAge, other.maxAge].filter((age) => age !== null)
    const vouches = record.vouches && other.vouches
    distinct.set(name, { ...other, vouches, maxAge: ages.length === 0 ? null : Math.min(...ages) })
  }
  return [...distinct.values()]
}
