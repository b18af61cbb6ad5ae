import type { PageRequest } from '@attestry/core/index/indexQueries.ts'
import { pageParameter, sizeParameter } from '../../../pipeline/parameters/listingParameters.ts'
import type { ArgumentValues } from '../execution/plan.ts'

/**
 * Reads `page` and `size` by the rules of the REST interface; null means the default.
 * @throws BadParameterError
 */
export function readPage(values: ArgumentValues): PageRequest {
  return {
    page: read(pageParameter, values['page'], 1),
    size: read(sizeParameter, values['size'], sizeDefault),
  }
}

const sizeDefault = 10

/** The rows that the arguments ask for, as the cost counts them. */
export function pageSize(values: ArgumentValues): number {
  return typeof values['size'] === 'number' ? values['size'] : sizeDefault
}

function read(parameter: typeof pageParameter, value: unknown, absent: number): number {
  return typeof value === 'number' ? parameter.read(String(value)) : absent
}
