import type { DecodePayload } from '../../../model/decodedPayload.ts'
import { decodeStoredPayload } from '../../../model/decodeStoredPayload.ts'
import type { StoredAttestation } from '../../../store/storedRecords.ts'
import { exportBatches, type ExportSource } from '../exportPieces.ts'
import { exportedAttestation } from '../exportedRows.ts'
import type { ParquetRow } from './parquetColumns.ts'
import type { SizedRow } from './parquetPieces.ts'

/** All attestations of a list, as rows of a Parquet file. */
export async function* attestationRows(
  slice: ExportSource<StoredAttestation>['slice'],
  decode: DecodePayload,
): AsyncGenerator<SizedRow> {
  const present = (attestation: StoredAttestation) => parquetRow(attestation, 'new', decode)
  for await (const batch of exportBatches({ slice, present, lengthOf: ({ length }) => length })) yield* batch
}

/** An attestation as a row, with its decoded payload. */
export function parquetRow(
  attestation: StoredAttestation,
  change: ParquetRow['change'],
  decode: DecodePayload,
): SizedRow {
  const text = exportedAttestation(attestation)
  const payload = decodeStoredPayload(attestation, decode)
  return {
    // The text is JSON of an object that was made here.
    row: { change, record: JSON.parse(text) as ParquetRow['record'], payload },
    // The values of a payload take about as much as its bytes.
    length: 2 * text.length,
  }
}
