import type { GraphNodeDialect } from '../engine/graphNode/readWhere.ts'
import { attestationEntity } from './attestations.ts'
import { moduleEntity, portalEntity } from './registrations.ts'
import { schemaEntity } from './schemas.ts'

/** The entities of Verax's subgraph. */
export const veraxDialect: GraphNodeDialect = {
  shapes: {
    Attestation: attestationEntity,
    Schema: schemaEntity,
    Portal: portalEntity,
    Module: moduleEntity,
  },
  takesNull: false,
  further: 'id_gt or skip',
}
