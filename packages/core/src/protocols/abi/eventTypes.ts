import { type Address, type Hex, noBytes } from '../../model/hex.ts'
import { keccakDigits } from '../../model/keccak.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'

/** A contract of a deployment. */
type Emitter = Extract<keyof Deployment, 'address' | `${string}Registry`>

/** A form of an event of a protocol's contracts. */
export interface EventType<Kind extends string> {
  /** The meaning of the event; several forms may have one. */
  readonly kind: Kind
  /** The contract that emits it. */
  readonly emitter: Emitter
  /** Topics of a log of the event, topic0 included; null: any number. */
  readonly topicCount: number | null
  readonly signature: string
  readonly topic: Hex
}

export function eventType<Kind extends string>(
  kind: Kind,
  emitter: Emitter,
  topicCount: number | null,
  signature: string,
): EventType<Kind> {
  return { kind, emitter, topicCount, signature, topic: `0x${keccakDigits(signature)}` as Hex }
}

/**
 * Makes a function that finds the form of the event in a log of a deployment's contracts; a text says why the log has
 * none, as half a sentence.
 */
export function createTypeSearch<Kind extends string>(title: string, types: readonly EventType<Kind>[]) {
  const typesByTopic = new Map(types.map((type) => [type.topic, type]))
  return (
    deployment: Readonly<Partial<Record<Emitter, Address | null>>>,
    { address, topics }: Pick<ChainLog, 'address' | 'topics'>,
  ): EventType<Kind> | string => {
    const type = typesByTopic.get(topics[0] ?? noBytes)
    if (type === undefined) return `no event of ${title} has this topic`
    const { signature, topicCount } = type
    if (address !== deployment[type.emitter]) {
      return `${signature} comes from ${address}, which is not the contract that makes it`
    }
    return topicCount === null || topics.length === topicCount
      ? type
      : `${signature} has ${topicCount} topics, the log ${topics.length}`
  }
}
