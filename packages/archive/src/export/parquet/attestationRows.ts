import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { decodeStoredPayload } from '@attestry/core/model/decodeStoredPayload.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { exportBatches, type ExportSource } from '../exportPieces.ts'
import { exportedAttestation } from '../exportedRows.ts'
import type { ParquetRow } from './parquetColumns.ts'
import type { SizedRow } from './parquetPieces.ts'

type AttestationWithContent = StoredAttestation & { readonly content?: ParquetRow['content'] | undefined }

/** All attestations of a list, as rows of a Parquet file. */
export async function* attestationRows(
  slice: ExportSource<AttestationWithContent>['slice'],
  decode: DecodePayload,
): AsyncGenerator<SizedRow> {
  const present = (attestation: AttestationWithContent) => parquetRow(attestation, 'new', decode)
  for await (const batch of exportBatches({ slice, present, lengthOf: ({ length }) => length })) yield* batch
}

/** An attestation as a row, with its decoded payload. */
export function parquetRow(
  attestation: AttestationWithContent,
  change: ParquetRow['change'],
  decode: DecodePayload,
): SizedRow {
  const { content = null } = attestation
  const record = exportedAttestation(attestation)
  const payload = decodeStoredPayload(attestation, decode)
  return {
    row: { change, record, payload, content },
    // The values of a payload take about as much as its bytes.
    length: 2 * JSON.stringify(record).length + (content?.json?.length ?? 0),
  }
}
