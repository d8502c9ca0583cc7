"""Decimal places of each currency: an amount is whole units of the last of them.

ISO 4217's active currencies are known from the beginning; a property may add its own, such as chips or a coin of eight
decimal places, under a code of three letters that ISO does not use.

>>> ISO_4217["JPY"], ISO_4217["USD"], ISO_4217["KWD"], "XBT" in ISO_4217
(0, 2, 3, False)
"""

from collections.abc import Mapping
from types import MappingProxyType

SCALE_MAX = 8

_BY_SCALE = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: """AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
          CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
          GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA
          MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR
          RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
          TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG""",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}

ISO_4217: Mapping[str, int] = MappingProxyType(
    {currency: scale for scale, currencies in _BY_SCALE.items() for currency in currencies.split()}
)
"""Decimal places by currency."""
