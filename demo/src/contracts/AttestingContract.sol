// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import { ISP } from "@ethsign/sign-protocol-evm/src/interfaces/ISP.sol";
import { Attestation } from "@ethsign/sign-protocol-evm/src/models/Attestation.sol";
import { Schema } from "@ethsign/sign-protocol-evm/src/models/Schema.sol";

/// An account of the protocol that is a contract: registers, attests and revokes in its own name, whoever calls it. The
/// transaction's input then holds a call of this contract, not one of the protocol.
contract AttestingContract {
    ISP private immutable protocol;

    constructor(ISP protocol_) {
        protocol = protocol_;
    }

    function register(Schema memory schema) external returns (uint64) {
        schema.registrant = address(this);
        return protocol.register(schema, "");
    }

    function attest(Attestation memory attestation, string calldata indexingKey) external returns (uint64) {
        attestation.attester = address(this);
        return protocol.attest(attestation, indexingKey, "", "");
    }

    /// Makes an attestation and revokes it in the same transaction.
    function attestAndRevoke(Attestation memory attestation, string calldata indexingKey, string calldata reason)
        external
    {
        attestation.attester = address(this);
        uint64 id = protocol.attest(attestation, indexingKey, "", "");
        protocol.revoke(id, reason, "", "");
    }

    function revoke(uint64 attestationId, string calldata reason) external {
        protocol.revoke(attestationId, reason, "", "");
    }
}
