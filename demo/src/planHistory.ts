import type { Hex } from 'viem'
import { type DemoSchema, type Rhythm, schemaText } from './content/demoSchema.ts'
import { oneRecipient } from './content/demoRecipients.ts'
import { createTimeline, type Timeline } from './createTimeline.ts'
import { encodePayload } from './encodePayload.ts'
import type { Random } from './random.ts'

/**
 * The timed events of the demo's chain. Schemas and attestations are named by their index in the plan; the contract
 * assigns their ids when they are made. A step refers only to records of earlier blocks.
 */
export interface History {
  readonly schemas: readonly PlannedSchema[]
  readonly attestations: readonly PlannedAttestation[]
  /** Ascending by time; steps of one time share a block. */
  readonly steps: readonly Step[]
}

/** An account is the index of a demo account; a relayer sends the call in the name of whose call it is. */
export type Step =
  | {
      readonly kind: 'register'
      readonly timeS: number
      readonly schema: number
      readonly relayer: number | null
    }
  | {
      readonly kind: 'attest'
      readonly timeS: number
      readonly attestations: readonly number[]
      readonly relayer: number | null
    }
  /** All of one attester. */
  | {
      readonly kind: 'revoke'
      readonly timeS: number
      readonly attestations: readonly number[]
      readonly reasons: readonly string[]
      readonly relayer: number | null
    }
  | {
      readonly kind: 'anchor'
      readonly timeS: number
      readonly attester: number
      readonly ids: readonly string[]
      readonly relayer: number | null
    }
  | {
      readonly kind: 'revokeAnchor'
      readonly timeS: number
      readonly attester: number
      readonly ids: readonly string[]
      readonly reasons: readonly string[]
    }

export interface PlannedSchema {
  readonly content: DemoSchema
  readonly text: string
}

export interface PlannedAttestation {
  readonly schema: number
  readonly attester: number
  readonly recipients: readonly Hex[]
  readonly data: Hex
  readonly dataLocation: number
  readonly validUntil: bigint
  readonly linked: number | null
  readonly indexingValue: string
}

export interface HistoryOptions {
  readonly schemas: readonly DemoSchema[]
  /** How many attestations there are in the end; schemas get them by weight. */
  readonly attestations: number
  readonly random: Random
  readonly startTimeS: number
  readonly endTimeS: number
}

const hourS = 3600
const relayers = [29, 30, 31]

/** Plans a history; the same options and seed give the same one. */
export function planHistory(options: HistoryOptions): History {
  const { random } = options
  const schemas = options.schemas.map((content) => ({ content, text: schemaText(content) }))
  const steps: Step[] = []
  const attestations: PlannedAttestation[] = []
  // Eleven attestations a block, most of them single and some in batches.
  const moments = Math.max(12, Math.ceil(options.attestations / 11))
  const timeline = createTimeline(random, options.startTimeS, options.endTimeS, moments)
  const registeredAt = registrationTimes(options, timeline)
  const counts = shareOut(
    options.attestations,
    options.schemas.map((schema) => schema.weight),
  )

  for (const [schema, content] of options.schemas.entries()) {
    const timeS = registeredAt[schema] ?? options.startTimeS
    steps.push({ kind: 'register', timeS, schema, relayer: content.delegated ? random.pick(relayers) : null })
    planAttestations(schema, content, counts[schema] ?? 0, timeS)
  }
  planAnchors()
  steps.sort((a, b) => a.timeS - b.timeS)
  return { schemas, attestations, steps }

  function planAttestations(schema: number, content: DemoSchema, count: number, registeredS: number): void {
    const groups = planGroups(content, count, registeredS, options, timeline)
    /** Attestations made so far, by attester, for links and revocations. */
    const earlier = new Map<number, { index: number; timeS: number }[]>()
    let number = 0
    for (const { timeS, size } of groups) {
      const attester = random.pick(content.attesters)
      const own = earlier.get(attester) ?? []
      earlier.set(attester, own)
      const made: number[] = []
      for (let item = 0; item < size; item++) {
        const linkable = random.chance(content.linkedShare ?? 0)
          ? own.filter((other) => other.timeS < timeS)
          : []
        made.push(attestations.length)
        const linked = linkable.length === 0 ? null : random.pick(linkable.slice(-6)).index
        attestations.push({ ...planAttestation(schema, content, random, number, timeS), attester, linked })
        number += 1
      }
      for (const index of made) own.push({ index, timeS })
      const relayer = random.chance(content.relayedShare ?? 0) ? random.pick(relayers) : null
      steps.push({ kind: 'attest', timeS, attestations: made, relayer })
      planRevocations(content, made, timeS)
    }
  }

  function planRevocations(content: DemoSchema, made: readonly number[], madeS: number): void {
    const revoked = made.filter(() => random.chance(content.revokedShare ?? 0))
    if (revoked.length === 0 || content.revocable === false) return
    const latestS = timeline.notAfter(madeS + random.fraction() ** 3 * 20 * 24 * hourS)
    const timeS = latestS > madeS ? latestS : timeline.after(madeS)
    if (timeS === null) return
    const reasons = revoked.map(() => random.pick(content.reasons ?? ['']))
    const relayer = random.chance((content.relayedShare ?? 0) / 2) ? random.pick(relayers) : null
    steps.push({ kind: 'revoke', timeS, attestations: revoked, reasons, relayer })
  }

  /** Anchors of off-chain attestations: some 1 for 60 attestations, few of them revoked. */
  function planAnchors(): void {
    for (let left = Math.ceil(options.attestations / 60); left > 0; left--) {
      const timeS = timeBetween(random, timeline, options.startTimeS, options.endTimeS, 'steady')
      const attester = random.integer(0, 19)
      const ids = Array.from({ length: random.integer(1, 3) }, () => `SPA_${random.digits(20)}`)
      steps.push({
        kind: 'anchor',
        timeS,
        attester,
        ids,
        relayer: random.chance(0.2) ? random.pick(relayers) : null,
      })
      const laterS = timeline.after(timeS + hourS)
      if (!random.chance(0.2) || laterS === null) continue
      const reasons = ids.map(() => random.pick(['Superseded', '']))
      steps.push({ kind: 'revokeAnchor', timeS: laterS, attester, ids, reasons })
    }
  }
}

/** The `number`-th attestation under a schema, by any of its attesters and without a link, made at `timeS`. */
export function planAttestation(
  schema: number,
  content: DemoSchema,
  random: Random,
  number: number,
  timeS: number,
): PlannedAttestation {
  return {
    schema,
    attester: random.pick(content.attesters),
    recipients: (content.recipients ?? oneRecipient)(random, number),
    data: encodePayload(content, random, number),
    dataLocation: content.dataLocation ?? 0,
    validUntil: content.validUntil?.(random, timeS) ?? 0n,
    linked: null,
    indexingValue: content.indexingValue?.(random, number) ?? '',
  }
}

/** Schemas come one after the other over the first five sixths of the time, the first at once. */
function registrationTimes(
  { schemas, random, startTimeS, endTimeS }: HistoryOptions,
  timeline: Timeline,
): readonly number[] {
  const spanS = ((endTimeS - startTimeS) * 5) / 6
  return schemas.map((_, index) => {
    const share = (index + (index === 0 ? 0 : random.fraction() * 0.9)) / schemas.length
    // Most are early: a schema that arrives late has little time to be used.
    return timeline.notAfter(startTimeS + spanS * share ** 2)
  })
}

interface Group {
  readonly timeS: number
  /** Attestations in one transaction. */
  readonly size: number
}

/**
 * The transactions that make `count` attestations, ascending by time, the last ones close to the end of the history.
 */
function planGroups(
  content: DemoSchema,
  count: number,
  registeredS: number,
  { random, endTimeS }: HistoryOptions,
  timeline: Timeline,
): readonly Group[] {
  const [fewest, most] = content.batch ?? [1, 1]
  const groups: Group[] = []
  for (let left = count; left > 0;) {
    const size = Math.min(left, random.integer(fewest, most))
    left -= size
    // In a burst, some groups share a block.
    const previous = groups.at(-1)
    const together = previous !== undefined && typeof content.rhythm === 'object' && random.chance(0.3)
    groups.push({
      size,
      timeS: together ? previous.timeS : timeBetween(random, timeline, registeredS, endTimeS, content.rhythm),
    })
  }
  return groups.sort((a, b) => a.timeS - b.timeS)
}

/** A moment after `fromS` (the first one if none is later) and not after `toS`. */
function timeBetween(random: Random, timeline: Timeline, fromS: number, toS: number, rhythm: Rhythm): number {
  const timeS = timeline.notAfter(fromS + (toS - fromS) * shareOfLife(random, fromS, toS, rhythm))
  return timeS > fromS ? timeS : (timeline.after(fromS) ?? timeS)
}

/** When something of a rhythm happens, as a share of the time from `fromS` to `toS`. */
function shareOfLife(random: Random, fromS: number, toS: number, rhythm: Rhythm): number {
  if (typeof rhythm === 'object' && random.chance(0.85)) {
    // The sum of three is bell-shaped: people come before, around and after the event.
    const offset = (random.fraction() + random.fraction() + random.fraction()) / 3 - 0.5
    const timeS = toS - rhythm.daysAgo * 24 * hourS + offset * rhythm.hours * hourS
    if (timeS > fromS && timeS < toS) return (timeS - fromS) / (toS - fromS)
  }
  const share = random.fraction()
  return rhythm === 'growing' ? share ** 0.5 : rhythm === 'fading' ? share ** 2 : share
}

/** Shares `total` out by weight, exactly. */
function shareOut(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  let weightSoFar = 0
  let shared = 0
  return weights.map((weight) => {
    weightSoFar += weight
    const upTo = Math.round((total * weightSoFar) / sum)
    const share = upTo - shared
    shared = upTo
    return share
  })
}
