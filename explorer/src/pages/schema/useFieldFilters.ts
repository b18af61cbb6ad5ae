import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  fieldParameter,
  readCountedPath,
  readFieldFilters,
  type FieldFilter,
  type FieldOperator,
  type FieldParameter,
} from '../../format/fieldFilters.ts'

/** The filters by fields, which the URL holds, and how they are changed. */
export interface FieldFilters {
  readonly filters: readonly FieldFilter[]
  /** The field whose filters are open, with its values counted. */
  readonly counted: string | undefined
  count(path: string | undefined): void
  set(path: string, operator: FieldOperator, value: string): void
  /** Sets a filter by a value, and closes the filters. */
  choose(path: string, value: string): void
  remove(parameter: FieldParameter): void
  clear(): void
}

export function useFieldFilters(): FieldFilters {
  const search = useSearch({ from: '/schema/$id' })
  const navigate = useNavigate({ from: '/schema/$id' })
  return useMemo(() => {
    const change = (patch: Readonly<Record<string, string | undefined>>) => {
      void navigate({
        search: (previous) => ({ ...previous, page: undefined, ...patch }),
        resetScroll: false,
      })
    }
    const filters = readFieldFilters(search)
    return {
      filters,
      counted: readCountedPath(search.by),
      count: (path) => change({ by: path === undefined ? undefined : fieldParameter(path, 'equals') }),
      set: (path, operator, value) => change({ [fieldParameter(path, operator)]: value }),
      choose: (path, value) => change({ by: undefined, [fieldParameter(path, 'equals')]: value }),
      remove: (parameter) => change({ [parameter]: undefined }),
      clear: () =>
        void navigate({ search: ({ size, protocol, by }) => ({ size, protocol, by }), resetScroll: false }),
    }
  }, [search, navigate])
}
