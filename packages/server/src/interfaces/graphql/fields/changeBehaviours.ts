import type { Change } from '@attestry/core/index/indexQueries.ts'
import { describeAnchor } from '../../../records/describeAnchor.ts'
import { eventNameOf, formatPlace } from '../../events/formatEvent.ts'
import type { ChangePage } from '../../events/addChangesEndpoint.ts'
import type { TypeBehaviour } from './fieldBehaviour.ts'
import { schemaNode } from './schemaNode.ts'

/** Changes by page and as subscriptions have them. The source of the root field of these is the change itself. */
export const changeBehaviours = {
  ChangePage: {
    rows: ({ changes }) => changes,
    next: ({ next }) => formatPlace(next),
  },
  Subscription: { changes: (change) => change },
  Change: {
    type: { writeJson: (change) => `"${eventNameOf(change).toUpperCase()}"` },
    id: { writeJson: ({ place }) => `"${formatPlace(place)}"` },
    attestation: (change) =>
      change.kind === 'attestation' || change.kind === 'revocation' ? change.attestation : null,
    schema: (change) => (change.kind === 'schema' ? schemaNode(change.schema) : null),
    anchor: (change) => ('anchor' in change ? describeAnchor(change.anchor) : null),
    record: (change) => {
      if (change.kind === 'revertedAnchor') return 'ANCHOR'
      return change.kind === 'reverted' ? change.record.toUpperCase() : null
    },
    recordProtocol: (change) => {
      if (change.kind === 'revertedAnchor') return change.anchor.protocol
      return change.kind === 'reverted' ? change.protocol : null
    },
    recordId: (change) => (change.kind === 'reverted' ? change.summary.id : null),
  },
} satisfies {
  readonly ChangePage: TypeBehaviour<ChangePage>
  readonly Subscription: TypeBehaviour<Change>
  readonly Change: TypeBehaviour<Change>
}
