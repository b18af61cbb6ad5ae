import { projections } from '@attestry/test/harness/projections.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { ApiTestStore } from './apiTestStore.ts'

export async function createPostgresApiStore(): Promise<ApiTestStore> {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128, projections })
  return {
    openWriter: () => openPostgresWriter(url, { projections }),
    openReader: (limits) =>
      openPostgresReader(url, { ...limits, decodePayload: decodeAttestedPayload, projections }),
    remove,
  }
}
