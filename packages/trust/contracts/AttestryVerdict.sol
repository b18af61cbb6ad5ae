// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// Verdicts that an Attestry gate signed with `signed=eip712` (docs/gate.md). The contract that calls keeps the nonces
/// of those who may pass only once.
library AttestryVerdict {
    struct Verdict {
        address subject;
        bytes32 policy;
        uint256 chainId;
        uint64 blockNumber;
        bytes32 blockHash;
        uint64 issuedAt;
        uint64 expiresAt;
        uint256 nonce;
    }

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant VERDICT_TYPE = keccak256(
        "Verdict(address subject,bytes32 policy,uint256 chainId,uint64 blockNumber,bytes32 blockHash,uint64 issuedAt,uint64 expiresAt,uint256 nonce)"
    );
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// Whether `signer` lets `subject` through by `policy`, for the contract that asks and at the time of this block.
    function allows(Verdict memory verdict, bytes memory signature, address signer, address subject, bytes32 policy)
        internal view returns (bool)
    {
        return verdict.subject == subject && verdict.policy == policy && block.timestamp < verdict.expiresAt
            && isSigned(digest(verdict), signature, signer);
    }

    /// The hash that is signed (EIP-712), for the contract that asks.
    function digest(Verdict memory verdict) internal view returns (bytes32) {
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPE, keccak256("Attestry"), keccak256("1"), block.chainid, address(this)));
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(VERDICT_TYPE, verdict))));
    }

    /// Whether an account signed a hash: with a key, `s` in the lower half of its range, or as a contract (ERC-1271).
    function isSigned(bytes32 hash, bytes memory signature, address signer) private view returns (bool) {
        if (signature.length == 65) {
            (bytes32 r, bytes32 s) = (bytes32(0), bytes32(0));
            uint8 v;
            assembly {
                r := mload(add(signature, 0x20))
                s := mload(add(signature, 0x40))
                v := byte(0, mload(add(signature, 0x60)))
            }
            address by = uint256(s) > HALF_ORDER ? address(0) : ecrecover(hash, v, r, s);
            if (by != address(0) && by == signer) return true;
        }
        if (signer.code.length == 0) return false;
        (bool ok, bytes memory answer) =
            signer.staticcall(abi.encodeWithSignature("isValidSignature(bytes32,bytes)", hash, signature));
        return ok && answer.length >= 32 && abi.decode(answer, (bytes32)) == bytes32(bytes4(0x1626ba7e));
    }
}
