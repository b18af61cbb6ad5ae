import type { IndexReader } from '../../store/indexReader.ts'
import type { IndexWriter } from '../../store/indexWriter.ts'

/** A separate database for a test of the API. */
export interface ApiTestStore {
  openWriter(): IndexWriter
  openReader(limits?: { readonly sliceRowsMax?: number }): IndexReader
  remove(): Promise<void>
}

export type CreateApiTestStore = () => Promise<ApiTestStore>
