import { varint } from 'multiformats'
import { contentIdOfNode, encodeFileNode } from '@attestry/core/model/contentId.ts'

/**
 * Archives of content (CARv1, https://ipld.io/specs/transport/car/carv1): what `ipfs dag import` reads. An archive names
 * no root, since no block here leads to the others; the identifier of nothing stands for one, as the format demands.
 */
const identityRoot = Uint8Array.of(0x01, 0x55, 0x00, 0x00)

/** The archive that holds each text as a file of one block. */
export async function* archiveTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  yield section(archiveHeader())
  for await (const text of texts) {
    const node = encodeFileNode(new TextEncoder().encode(text))
    yield section(contentIdOfNode(node).bytes, node)
  }
}

function section(...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const size = varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
  return Buffer.concat([size, ...parts])
}

/** `{"roots": [link], "version": 1}` in DAG-CBOR. */
function archiveHeader(): Uint8Array {
  const text = (value: string) => [0x60 | value.length, ...new TextEncoder().encode(value)]
  // Tag 42 is a link: bytes that begin with a zero.
  const link = [0xd8, 0x2a, 0x40 | (identityRoot.length + 1), 0x00, ...identityRoot]
  return Uint8Array.from([0xa2, ...text('roots'), 0x81, ...link, ...text('version'), 0x01])
}
