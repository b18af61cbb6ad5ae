import { parseAbi } from 'viem'

/** The functions and events of EAS and its schema registry that the demo and tests use. */
export const easAbi = parseAbi([
  'constructor(address registry)',
  'function register(string schema, address resolver, bool revocable) returns (bytes32)',
  'struct AttestationRequestData { address recipient; uint64 expirationTime; bool revocable; bytes32 refUID; bytes data; uint256 value; }',
  'struct MultiAttestationRequest { bytes32 schema; AttestationRequestData[] data; }',
  'function multiAttest(MultiAttestationRequest[] multiRequests) payable returns (bytes32[])',
  'struct RevocationRequestData { bytes32 uid; uint256 value; }',
  'struct MultiRevocationRequest { bytes32 schema; RevocationRequestData[] data; }',
  'function multiRevoke(MultiRevocationRequest[] multiRequests) payable',
  'function multiTimestamp(bytes32[] data) returns (uint64)',
  'function multiRevokeOffchain(bytes32[] data) returns (uint64)',
  'struct SchemaRecord { bytes32 uid; address resolver; bool revocable; string schema; }',
  'event Registered(bytes32 indexed uid, address indexed registerer, SchemaRecord schema)',
  'event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
])
