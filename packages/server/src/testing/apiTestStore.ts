import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'

/** A separate database for a test of the API. */
export interface ApiTestStore {
  openWriter(): IndexWriter
  openReader(limits?: { readonly sliceRowsMax?: number }): IndexReader
  remove(): Promise<void>
}

export type CreateApiTestStore = () => Promise<ApiTestStore>
