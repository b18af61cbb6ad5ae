import { createPostgresTestStore } from '../../../test/harness/postgresTestStore.ts'
import { openPostgresReader } from '../../store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '../../store/postgres/openPostgresWriter.ts'
import { decodeAttestedPayload } from '../../protocols/decodeAttestedPayload.ts'
import type { ApiTestStore } from './apiTestStore.ts'

export async function createPostgresApiStore(): Promise<ApiTestStore> {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 128 })
  return {
    openWriter: () => openPostgresWriter(url),
    openReader: (limits) => openPostgresReader(url, { ...limits, decodePayload: decodeAttestedPayload }),
    remove,
  }
}
