import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { cleanText } from './cleanText.ts'

/** The name of a chain as people call it, without invisible characters; `chain 1` where it has none. */
export async function nameChain(reader: Pick<PastReader, 'listChains'>, chainId: ChainId): Promise<string> {
  const chain = (await reader.listChains()).find(({ status }) => status.chainId === chainId)
  const name = cleanText(chain?.status.name ?? '')
  return name === '' ? `chain ${chainId}` : name
}
