import { zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { AttestationRow } from './attestations.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A transaction that made or changed a record, as the subgraph shows it. */
interface Audit {
  readonly id: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionTimestamp: string
  readonly fromAddress: Address
}

interface AuditInformation {
  readonly id: string
  readonly creation: Audit | undefined
  readonly lastModification: Audit | undefined
  readonly modifications: readonly Audit[]
}

/** The registration of a portal or module, as its metadata has it. */
export interface Registration {
  readonly blockNumber: number
  readonly timestamp: number
  readonly transactionHash: string
}

export async function auditOfAttestation(
  { origins }: VeraxContext,
  { stored }: AttestationRow,
): Promise<AuditInformation> {
  const origin = await origins.load(stored.key.localId)
  const { revocation } = stored
  const audits = [
    auditOf(
      {
        blockNumber: origin?.blockNumber ?? 0,
        timestamp: stored.attestTimestamp,
        transactionHash: detailOf(stored.detail).transactionHash,
      },
      stored.transactionSender,
    ),
  ]
  if (revocation !== null) {
    const { timestamp, transactionHash } = revocation
    const blockNumber = origin?.revokedBlockNumber ?? 0
    audits.push(auditOf({ blockNumber, timestamp: Number(timestamp), transactionHash }))
  }
  return informationOf(stored.key.localId, audits)
}

export async function auditOfSchema(
  { schemaBlocks }: VeraxContext,
  { key, transactionHash, registerTimestamp, transactionSender }: StoredSchema,
): Promise<AuditInformation> {
  const registration = {
    blockNumber: (await schemaBlocks.load(key.localId)) ?? 0,
    timestamp: registerTimestamp,
    transactionHash,
  }
  return informationOf(key.localId, [auditOf(registration, transactionSender)])
}

/** Of a portal or module by what its metadata says; null if that does not say it. */
export function auditOfRegistered(id: Address, body: string | null): AuditInformation | null {
  // Protocols make the body.
  const { registration } = JSON.parse(body ?? '{}') as { readonly registration?: Registration }
  return registration === undefined ? null : informationOf(id, [auditOf(registration)])
}

function auditOf(
  { blockNumber, timestamp, transactionHash }: Registration,
  sender: Address | null = null,
): Audit {
  return {
    id: transactionHash,
    blockNumber: String(blockNumber),
    transactionHash,
    transactionTimestamp: String(timestamp),
    fromAddress: sender ?? zeroAddress,
  }
}

/** `modifications` begin with the creation, as in the subgraph. */
function informationOf(id: string, modifications: readonly Audit[]): AuditInformation {
  return { id, creation: modifications[0], lastModification: modifications.at(-1), modifications }
}
