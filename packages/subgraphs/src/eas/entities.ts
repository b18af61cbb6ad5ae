import type { PrismaDialect } from '../engine/prisma/entity.ts'
import { offchainRevocationEntity, timestampEntity } from './anchors.ts'
import { attestationEntity } from './attestations.ts'
import type { EasContext } from './easContext.ts'
import { ensNameEntity } from './ensNames.ts'
import { schemaNameEntity } from './schemaNames.ts'
import { schemaEntity } from './schemas.ts'

/**
 * The entities of easscan and of its self-hosted indexer. GraphQL types and inputs are generated from them, under the
 * names that their generator gives, because operations and generated code of clients hold these names.
 */
export const easEntities: PrismaDialect<EasContext> = {
  Attestation: attestationEntity,
  Schema: schemaEntity,
  SchemaName: schemaNameEntity,
  OffchainRevocation: offchainRevocationEntity,
  Timestamp: timestampEntity,
  EnsName: ensNameEntity,
}
