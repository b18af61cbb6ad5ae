import type { paths } from './openapi.ts'

/** Types of the interface, taken from its OpenAPI document. */

interface JsonAnswer<Data> {
  responses: { 200: { content: { 'application/json': { data: Data } } } }
}

/** A path that answers JSON in the envelope. */
export type PathOfData = {
  [Path in keyof paths]: paths[Path] extends { get: JsonAnswer<unknown> } ? Path : never
}[keyof paths]

/** The member `data` of the answer of a path. */
export type DataOf<Path extends PathOfData> = paths[Path] extends { get: JsonAnswer<infer Data> }
  ? Data
  : never

/** A path that is asked by POST, with a body of JSON. */
export type PathOfPost = {
  [Path in keyof paths]: paths[Path] extends { post: JsonAnswer<unknown> } ? Path : never
}[keyof paths]

/** The body that such a path reads. */
export type BodyOf<Path extends PathOfPost> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

/** The member `data` of what such a path answers. */
export type PostedDataOf<Path extends PathOfPost> = paths[Path] extends { post: JsonAnswer<infer Data> }
  ? Data
  : never

type Named<Values> = [NonNullable<Values>] extends [never] ? unknown : NonNullable<Values>

/** The parameters of a path, those in the path (`{id}`) and those in the query. */
export type Parameters<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query; path?: infer InPath } }
}
  ? Named<Query> & Named<InPath>
  : never

/** A listing that can be walked by cursors. */
export type ListPath = '/scan/attestations' | '/scan/schemas' | '/scan/anchors' | '/scan/agents'

/** A page of such a listing: the answer without `cursor`. */
export type PageOf<Path extends ListPath> = Extract<DataOf<Path>, { total: number }>

/** A step of a walk through such a listing: the answer with `cursor`. */
export type StepOf<Path extends ListPath> = Extract<DataOf<Path>, { nextCursor: unknown }>

/** A row of such a listing. */
export type ListRow<Path extends ListPath> = StepOf<Path> extends { rows: (infer Row)[] } ? Row : never

/** The filters of such a listing: its parameters without those that choose a page. */
export type ListFilter<Path extends ListPath> = Omit<Parameters<Path>, 'page' | 'cursor'>

/** A whole listing as a file of JSON objects, one a line. */
export type ExportPath =
  | '/scan/export/attestations.ndjson'
  | '/scan/export/schemas.ndjson'
  | '/scan/export/edges.ndjson'

export type ExportRow<Path extends ExportPath> = paths[Path]['get']['responses'][200]['content'] extends {
  'application/x-ndjson': infer Row
}
  ? Row
  : never

export type Attestation = DataOf<'/scan/attestations/{id}'>
export type Schema = DataOf<'/scan/schemas/{id}'>
