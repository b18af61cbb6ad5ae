import { BadParameterError, OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { recipientsOf } from '@attestry/core/model/recordJson.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { exportBatches, type ExportSource } from './exportPieces.ts'

/** All valid attestations of one account to one recipient under one schema. */
export interface Edge {
  /** The attester, with its checksum. */
  readonly from: string
  /** The recipient as answers have it. */
  readonly to: string
  /** The composite id of the schema. */
  readonly schema: string
  count: number
  /** When the first of them was made, in Unix seconds. */
  first: number
  last: number
}

export const edgeColumns = ['from', 'to', 'schema', 'count', 'first', 'last'] as const

/** Edges that all answers of a server hold at the same time: about 100 MB. */
const edgesMax = 500_000

/** The edges that the answers of one server hold. */
export interface HeldEdges {
  /** Adds one. */
  take(own: number): void
  release(count: number): void
}

export function createHeldEdges(total = edgesMax): HeldEdges {
  let held = 0
  return {
    take: (own) => {
      if (own >= total) {
        throw new BadParameterError(
          `More than ${total.toLocaleString('en')} edges pass the filters; ask for part of them, such as by attestedFrom and attestedBefore or by attester.`,
        )
      }
      if (held >= total) {
        throw new OverloadedError('Other answers hold too many edges; ask again later.', 10)
      }
      held += 1
    },
    release: (count) => {
      held -= count
    },
  }
}

/**
 * The edges of a list of attestations, in the order of their first attestations, while `use` reads them.
 * @param most the most attestations that are read.
 * @throws BadParameterError beyond a bound.
 * @throws OverloadedError while other answers hold too many.
 */
export async function* withEdges<Piece>(
  slice: ExportSource<StoredAttestation>['slice'],
  held: HeldEdges,
  use: (edges: Iterable<Edge>) => AsyncGenerator<Piece>,
  most = Infinity,
): AsyncGenerator<Piece> {
  const edges: Edge[] = []
  try {
    const known = new Map<string, Map<string, Edge>>()
    let read = 0
    const present = (row: StoredAttestation) => row
    for await (const batch of exportBatches({
      slice,
      present,
      lengthOf: ({ recipientsJson }) => 200 + recipientsJson.length,
    })) {
      read += batch.length
      if (read > most) {
        throw new BadParameterError(
          `More than ${most.toLocaleString('en')} attestations pass the filters; /scan/export/edges.ndjson has the edges of all.`,
        )
      }
      for (const attestation of batch) addTo(known, edges, held, attestation)
    }
    known.clear()
    yield* use(edges)
  } finally {
    held.release(edges.length)
  }
}

function addTo(
  known: Map<string, Map<string, Edge>>,
  edges: Edge[],
  held: HeldEdges,
  attestation: StoredAttestation,
): void {
  const { key, schemaId, attester: from, attestTimestamp: time } = attestation
  const schema = formatCompositeId({ ...key, localId: schemaId })
  const start = `${from} ${schema} ${key.protocol}`
  const ofStart = known.get(start) ?? new Map<string, Edge>()
  known.set(start, ofStart)
  for (const to of new Set(recipientsOf(attestation))) {
    const edge = ofStart.get(to)
    if (edge === undefined) {
      held.take(edges.length)
      const made = { from, to, schema, count: 1, first: time, last: time }
      ofStart.set(to, made)
      edges.push(made)
    } else {
      edge.count += 1
      edge.first = Math.min(edge.first, time)
      edge.last = Math.max(edge.last, time)
    }
  }
}
