// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import { ISPHook } from "@ethsign/sign-protocol-evm/src/interfaces/ISPHook.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A schema's hook (the API's resolver) that lets every attestation and revocation pass.
contract AcceptingHook is ISPHook {
    function didReceiveAttestation(address, uint64, uint64, bytes calldata) external payable { }

    function didReceiveAttestation(address, uint64, uint64, IERC20, uint256, bytes calldata) external { }

    function didReceiveRevocation(address, uint64, uint64, bytes calldata) external payable { }

    function didReceiveRevocation(address, uint64, uint64, IERC20, uint256, bytes calldata) external { }
}
