import type { IndexQueries } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { IndexWriter } from '../../store/indexWriter.ts'

/** A database of its own, which the API is tried over. */
export interface ApiTestStore {
  openWriter(): IndexWriter
  openReader(limits?: { readonly sliceRowsMax?: number }): IndexReader & IndexQueries
  remove(): Promise<void>
}

export type CreateApiTestStore = () => Promise<ApiTestStore>
