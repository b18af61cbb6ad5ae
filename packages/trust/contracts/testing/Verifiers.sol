// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

import {AttestryVerdict} from "AttestryVerdict.sol";

/// A door that the library guards; each nonce passes once.
contract Door {
    address private immutable signer;
    bytes32 private immutable policy;
    mapping(uint256 => bool) public passed;

    constructor(address signer_, bytes32 policy_) {
        signer = signer_;
        policy = policy_;
    }

    function isAllowed(AttestryVerdict.Verdict memory verdict, bytes memory signature, address subject)
        public view returns (bool)
    {
        return AttestryVerdict.allows(verdict, signature, signer, subject, policy);
    }

    function enter(AttestryVerdict.Verdict memory verdict, bytes memory signature) external {
        require(!passed[verdict.nonce] && isAllowed(verdict, signature, msg.sender), "not let through");
        passed[verdict.nonce] = true;
    }
}

/// A wallet of one owner (ERC-1271).
contract Wallet {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(hash, uint8(signature[64]), r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Checks the attestation of a claim as Sablier's airdrops do: `Identity(address recipient)`.
contract AirdropClaim {
    address private immutable attestor;
    bytes32 private constant DOMAIN_TYPE = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant IDENTITY_TYPE = keccak256("Identity(address recipient)");

    constructor(address attestor_) {
        attestor = attestor_;
    }

    function isIdentified(address recipient, bytes calldata signature) external view returns (bool) {
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPE, keccak256("Sablier Airdrops Protocol"), block.chainid, address(this)));
        bytes32 hash =
            keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(IDENTITY_TYPE, recipient))));
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(hash, uint8(signature[64]), r, s) == attestor;
    }
}

/// Checks a human as Linea's PohVerifier does: `POH(address to)` in the domain of its contract.
contract PohVerifier {
    address private immutable signer;
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    constructor(address signer_) {
        signer = signer_;
    }

    function verify(bytes memory signature, address human) external view returns (bool) {
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPE, keccak256("VerifyPoh"), keccak256("1"), block.chainid, address(this)));
        bytes32 message = keccak256(abi.encode(keccak256("POH(address to)"), human));
        bytes32 hash = keccak256(abi.encodePacked("\x19\x01", domain, message));
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        return ecrecover(hash, uint8(signature[64]), r, s) == signer;
    }
}
