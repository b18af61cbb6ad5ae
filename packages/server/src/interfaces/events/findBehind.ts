import type { ApiContext } from '../../apiContext.ts'
import { aboutChains } from '../../pipeline/asOf/openView.ts'
import { formatBehind } from '../../pipeline/freshness/formatBehind.ts'
import { aboutIds, chainsOfListed } from '../../pipeline/parameters/idParameters.ts'
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import type { changeParameters } from './changeParameters.ts'

type Filtered = Pick<ParameterValues<typeof changeParameters>, 'chainId' | 'schemaId'>

/** Returns the function that says which chains of a filter of changes are behind, as the header has them. */
export function createFindBehind({ reader, freshness }: Pick<ApiContext, 'reader' | 'freshness'>) {
  return async ({ chainId, schemaId }: Filtered): Promise<string | null> => {
    const { chainIds, records } = schemaId === null ? aboutChains(null) : aboutIds([schemaId], 'schema')
    const about = { ...aboutChains(chainsOfListed(chainId) ?? chainIds), ...(records && { records }) }
    const state = await freshness.at(await reader.indexVersion())
    return formatBehind(await state.behind(about))
  }
}
