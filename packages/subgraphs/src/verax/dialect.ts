import type { ReadableDialect } from '../engine/graphNode/entity.ts'
import { attestationEntity } from './attestations.ts'
import { moduleEntity, portalEntity } from './registrations.ts'
import { schemaEntity } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

/** The entities of Verax's subgraph. */
export const veraxDialect: ReadableDialect<VeraxContext> = {
  entities: {
    Attestation: attestationEntity,
    Schema: schemaEntity,
    Portal: portalEntity,
    Module: moduleEntity,
  },
  takesNull: false,
  ordersByRelated: false,
  further: 'id_gt or skip',
}
