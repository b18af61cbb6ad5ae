import { offchainLayout } from '../offchainStore/offchainDatabase.ts'
import type { OffchainStore } from '../offchainStore/offchainStore.ts'
import { openOffchainStore } from '../offchainStore/openOffchainStore.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { openBeside } from '@attestry/host/openBeside.ts'

/** The store of off-chain attestations beside an index. Nothing is opened before the first statement. */
export async function openOffchain(database: DatabaseConfig): Promise<OffchainStore> {
  return openOffchainStore(await openBeside(database, offchainLayout))
}
