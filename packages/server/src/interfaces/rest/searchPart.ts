import type { TSchema } from 'typebox'
import type { SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'

/** A group of results that a capability adds to `/scan/search`. Answers have it only if a keyword finds something in it. */
export interface SearchPart {
  /** The name of the group, and its plural in sentences. */
  readonly type: string
  readonly plural: string
  /** The schema of a row. */
  readonly row: TSchema
  /** Whether rows depend on content, which comes and goes while the index stays as it is. */
  readonly followsContent: boolean
  /** Finds the best rows, each as `row` says. */
  search(reader: IndexReader, keyword: ClassifiedKeyword, limit: number): Promise<SearchGroup<object>>
}
