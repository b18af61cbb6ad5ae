import { AbiCoder, FunctionFragment } from 'ethers'
import { requireSdk, usesSdks } from './installedSdks.ts'

interface EasSdk {
  readonly SchemaEncoder: { isSchemaValid(text: string): boolean }
}

/**
 * Whether `SchemaEncoder` of EAS's newest SDK takes a schema: what ethers, on which the SDK is built, parses and has a
 * default for. With the SDK itself, the SDK answers, and must agree.
 */
export function isTakenByEasSdk(text: string): boolean {
  const taken = isTakenByEthers(text)
  if (!usesSdks) return taken
  const { SchemaEncoder } = requireSdk<EasSdk>('@ethereum-attestation-service/eas-sdk')
  if (SchemaEncoder.isSchemaValid(text) !== taken) throw new Error(`the SDK and ethers differ about ${text}`)
  return taken
}

function isTakenByEthers(text: string): boolean {
  try {
    const { inputs } = FunctionFragment.from(`func(${text.replaceAll(/ipfsHash (\S+)/g, 'bytes32 $1')})`)
    AbiCoder.defaultAbiCoder().getDefaultValue(inputs)
    return true
  } catch {
    return false
  }
}
