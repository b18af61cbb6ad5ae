import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Condition, FieldValue } from '../protocolGraphql/condition.ts'
import type { EasContext } from './easContext.ts'
import type { ModelName } from './models.ts'
import type { WalkOrder } from '../protocolGraphql/walkArms.ts'

/** A row with its place in the order of listings. */
export interface PlacedRow {
  readonly place: RowPlace
}

export interface WalkRequest {
  /** Its relations are resolved. */
  readonly condition: Condition
  readonly order: WalkOrder
  /** Rows strictly behind this place; null: from the beginning. */
  readonly after: RowPlace | null
  /** The fields that the caller reads of the rows, beside those of the condition. */
  readonly fields: ReadonlySet<string>
  /** About how many rows the caller takes; null: all. */
  readonly expected: number | null
}

/** Groups by the values of one field, each with its number of rows. */
export type CountedGroups = readonly { readonly value: FieldValue; readonly count: number }[]

/** The rows of one model. */
export interface RowSource<Row extends PlacedRow> {
  readonly model: ModelName
  /** The fields by which the order of listings orders. */
  readonly walkedFields: readonly string[]
  /** What rows can be ordered by beside their scalar fields. */
  readonly furtherOrders: readonly string[]
  /** The rows that match, in the order of listings, in batches. */
  walk(context: EasContext, request: WalkRequest): AsyncIterable<readonly Row[]>
  /**
   * The row with an id; null where there is none. `needsPlace`: whether the caller uses the place of the row, whose
   * position costs a read of its own.
   */
  find(context: EasContext, id: string, fields: ReadonlySet<string>, needsPlace: boolean): Promise<Row | null>
  valueOf(context: EasContext, row: Row, field: string): FieldValue
  /** How many rows match, if that is known without reading them; else null. */
  count(context: EasContext, condition: Condition): Promise<number | null>
  /**
   * The groups of the rows that match, if they are known without reading the rows; else null. `wanted`: how many of the
   * largest groups are needed; null: all of them.
   */
  countGroups?(
    context: EasContext,
    condition: Condition,
    field: string,
    wanted: number | null,
  ): Promise<CountedGroups | null>
}
