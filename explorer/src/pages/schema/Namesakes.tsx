import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { schemasQuery } from '../../api/queries.ts'
import type { Schema } from '../../api/types.ts'
import { formatCount } from '../../format/formatCount.ts'
import { countNamesakes } from './countNamesakes.ts'

/** Names that the interface finds for one page. */
const size = 100

/** How many schemas have the name of a schema, if there are several: the name alone does not say which one is meant. */
export function Namesakes({ schema: { name } }: { readonly schema: Schema }) {
  const keyword = name.trim()
  const { data } = useQuery({
    ...schemasQuery({ keyword, page: 1, size }),
    enabled: keyword !== '' && keyword.length <= 256,
  })
  const count = countNamesakes(name, data?.rows ?? [])
  if (count < 2) return null
  return (
    <p>
      <Link to="/schemas" search={{ keyword }}>
        {formatCount(count)} schemas have this name
      </Link>
    </p>
  )
}
